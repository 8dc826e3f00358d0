"""What a source is told, checked field by field. Each check returns the tidy value or raises Invalid."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlalchemy.orm import Session

from switchboard.access.principals import Owner
from switchboard.errors import Invalid, NotFound
from switchboard.inbound import store
from switchboard.lib import clock, crypto
from switchboard.models import Endpoint
from switchboard.providers.base import SourceKind

MAX_PINS = 100
MIN_SECRET, MAX_SECRET = 8, 1024
_GLOB = re.compile(r"[A-Za-z0-9._*?\[\]-]{1,100}(/[A-Za-z0-9._*?\[\]-]{1,100})?", re.ASCII)


def host(kind: SourceKind, text: str) -> str:
    """What the source speaks for, in the form it is compared in."""
    try:
        return kind.source_host(text or kind.default_host)
    except Invalid as error:
        raise Invalid(error.detail, field="host") from None


def secret(kind: SourceKind, given: str | None) -> str | None:
    """The signing secret: the given one, else a fresh one; None for a kind that signs nothing."""
    if not kind.signs:
        if given is not None:
            raise Invalid(
                f"A {kind.kind} source signs nothing, so it has no secret: its address is one.",
                field="secret",
            )
        return None
    if given is None:
        return crypto.new_webhook_secret()
    if not MIN_SECRET <= len(given) <= MAX_SECRET or not given.isprintable():
        raise Invalid(
            f"Use a secret of {MIN_SECRET} to {MAX_SECRET} printable characters.", field="secret"
        )
    return given


def globs(kind: SourceKind, given: Sequence[str]) -> list[str]:
    """Repository pins, for a kind that names repositories."""
    if given and not kind.pins_repos:
        raise Invalid(f"A {kind.kind} source names no repositories to pin.", field="repos")
    if len(given) > MAX_PINS:
        raise Invalid(f"Give up to {MAX_PINS} repository pins.", field="repos")
    for glob in given:
        if not _GLOB.fullmatch(glob):
            raise Invalid("A repository pin looks like owner/name or owner/*.", field="repos")
    return list(given)


def repo_label(kind: SourceKind, given: str | None) -> str | None:
    """The repo under which it files; only a kind that files has one, and it must."""
    if kind.filed and not given:
        raise Invalid(
            f"A {kind.kind} source files what it brings under a repo; name one.", field="repo"
        )
    if given and not kind.filed:
        raise Invalid(f"Only a filed kind has a repo; a {kind.kind} source has none.", field="repo")
    return given or None


def red_opens_todo(kind: SourceKind, given: bool) -> bool:
    """Whether a red verdict opens a todo; only a kind that files reports verdicts."""
    if given and not kind.filed:
        raise Invalid(
            f"A {kind.kind} source reports no verdicts, so none of them opens a todo.",
            field="red_opens_todo",
        )
    return given


def targets(session: Session, owner: Owner, to: Sequence[str]) -> list[tuple[Endpoint, str]]:
    """The endpoints meant by `endpoint[:queue]`; without any, the owner's only endpoint.

    Raises NotFound for an endpoint that is not the owner's, or not alive.
    """
    theirs = store.endpoints_of_owner(session, owner.id, clock.now())
    if not to:
        return [(each, each.queues[0]) for each in theirs] if len(theirs) == 1 else []
    by_name = {key: each for each in theirs for key in (each.name, each.slug, each.id)}
    found = []
    for target in dict.fromkeys(to):
        name, _, queue = target.partition(":")
        if name not in by_name:
            raise NotFound(f"{owner.name} has no live endpoint {name}.", field="to")
        endpoint = by_name[name]
        if queue and queue not in endpoint.queues:
            raise Invalid(f"The endpoint {name} was not granted the queue {queue}.", field="to")
        found.append((endpoint, queue or endpoint.queues[0]))
    return found
