"""Managing sources: add, list, pause, resume, rotate, revoke."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access import letters, owners
from switchboard.access.principals import Operator, Owner
from switchboard.errors import Conflict, Invalid, NotFound
from switchboard.inbound import store
from switchboard.lib import clock, crypto, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Endpoint, Source, SourceRoute, SourceSecret
from switchboard.providers import provider_of
from switchboard.providers.base import Provider

PROVIDER_LETTERS = "n"
OVERLAP_SECONDS = 3600
MAX_PINS = 100
MIN_SECRET, MAX_SECRET = 8, 1024
_GLOB = re.compile(r"[A-Za-z0-9._*?\[\]-]{1,100}(/[A-Za-z0-9._*?\[\]-]{1,100})?", re.ASCII)


@dataclass(frozen=True)
class NewSource:
    """What adding a source needs. Without `secret` one is made; `to` are `endpoint[:queue]`."""

    kind: str
    name: str
    owner: Mapping[str, Any] | str | None = None
    host: str = ""
    repos: Sequence[str] = ()
    letters: str = PROVIDER_LETTERS
    secret: str | None = None
    to: Sequence[str] = ()


@dataclass(frozen=True)
class Added:
    """A source just added or rotated: the one time its secret exists in clear."""

    source: dict[str, Any]
    secret: str


def add(lib: Plumbing, operator: Operator, new: NewSource) -> Added:
    """Add a source. Raises Invalid, Conflict (taken name, `encryption_required`), NotFound."""
    provider = provider_of(lib.settings, new.kind)
    lib.sealer.require()
    granted = letters.parse(new.letters)
    operator.may_grant(granted, "a source its letters")
    secret = _check_secret(new.secret) if new.secret is not None else crypto.new_webhook_secret()
    host = _check_host(provider, new.host)
    source_id, token = ids.new("source"), secrets.token_urlsafe(24)
    with lib.db.write() as session:
        owner = owners.resolve(session, operator, new.owner)
        source = Source(
            id=source_id,
            kind=new.kind,
            name=owners.check_name(new.name),
            **owner.columns,
            token_hash=crypto.token_hash(token),
            token_sealed=lib.sealer.seal(token, source_id),
            letters=granted,
            state="active",
            host=host,
            repo_globs=_check_globs(new.repos),
            secret_known_to_agent=False,
            created_by_account_id=operator.creator_id,
            created_at=clock.now(),
        )
        session.add(source)
        try:
            session.flush()
        except IntegrityError:
            raise Conflict(f"{owner.name} has a source named {new.name}.", field="name") from None
        _add_secret(lib, session, source_id, secret)
        for endpoint, queue in _targets(session, owner, new.to):
            session.add(SourceRoute(source_id=source_id, endpoint_id=endpoint.id, queue=queue))
        session.flush()
        return Added(_described(lib, session, source), secret)


def _check_host(provider: Provider, host: str) -> str:
    try:
        return provider.host_of(host or provider.default_host)
    except Invalid as error:
        raise Invalid(error.detail, field="host") from None


def _check_secret(secret: str) -> str:
    if not MIN_SECRET <= len(secret) <= MAX_SECRET or not secret.isprintable():
        raise Invalid(
            f"Use a secret of {MIN_SECRET} to {MAX_SECRET} printable characters.", field="secret"
        )
    return secret


def _check_globs(globs: Sequence[str]) -> list[str]:
    if len(globs) > MAX_PINS:
        raise Invalid(f"Give up to {MAX_PINS} repository pins.", field="repos")
    for glob in globs:
        if not _GLOB.fullmatch(glob):
            raise Invalid("A repository pin looks like owner/name or owner/*.", field="repos")
    return list(globs)


def _add_secret(lib: Plumbing, session: Session, source_id: str, secret: str) -> None:
    secret_id = ids.new("source_secret")
    row = SourceSecret(
        id=secret_id,
        source_id=source_id,
        sealed=lib.sealer.seal(secret, secret_id),
        fingerprint=crypto.fingerprint(secret),
        created_at=clock.now(),
    )
    session.add(row)


def _targets(session: Session, owner: Owner, to: Sequence[str]) -> list[tuple[Endpoint, str]]:
    """The endpoints meant by `endpoint[:queue]`; without any, the owner's only endpoint."""
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


def _describe(
    lib: Plumbing,
    source: Source,
    *,
    owner: Mapping[str, str] | None,
    routes: list[tuple[str, str]],
    fingerprint: str | None,
    configurable: bool,
) -> dict[str, Any]:
    # whoever has the address may post to it, so those who only look are not shown it
    ingest_url = _ingest_url(lib, source) if configurable else None
    return {
        "id": source.id,
        "name": source.name,
        "kind": source.kind,
        "owner": owner,
        "state": source.state,
        "letters": source.letters,
        "host": source.host,
        "repos": list(source.repo_globs),
        "to": [f"{name}:{queue}" for name, queue in routes],
        "fingerprint": fingerprint,
        "configurable": configurable,
        "ingest_url": ingest_url,
        "steps": provider_of(lib.settings, source.kind).steps(ingest_url) if ingest_url else [],
        "created_at": clock.iso(source.created_at),
    }


def _described(lib: Plumbing, session: Session, source: Source) -> dict[str, Any]:
    """A source as whoever just changed it sees it."""
    session.flush()
    return _describe(
        lib,
        source,
        owner=owners.label_of(session, _owner_id(source)),
        routes=store.routes_of(session, [source.id]).get(source.id, []),
        fingerprint=store.fingerprints_of(session, [source.id]).get(source.id),
        configurable=True,
    )


def _ingest_url(lib: Plumbing, source: Source) -> str | None:
    """The address to post to; None while the key that opens it is missing."""
    try:
        token = lib.sealer.open(source.token_sealed, source.id)
    except Conflict:
        return None
    return f"{lib.settings.base_url}/hooks/{token}"


def in_view(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The sources the operator may see, oldest first.

    `ingest_url` and `steps` are None and [] where the operator may only look.
    """
    with lib.db.read() as session:
        rows = store.sources_in(session, operator.visible)
        routes = store.routes_of(session, [row.id for row in rows])
        fingerprints = store.fingerprints_of(session, [row.id for row in rows])
    labels = owners.labels(lib, [_owner_id(row) for row in rows])
    return [
        _describe(
            lib,
            row,
            owner=labels.get(_owner_id(row)),
            routes=routes.get(row.id, []),
            fingerprint=fingerprints.get(row.id),
            configurable=operator.configures(_owner_id(row)),
        )
        for row in rows
    ]


def set_state(lib: Plumbing, operator: Operator, ref: str, state: str) -> dict[str, Any]:
    """Pause (`paused`), resume (`active`) or revoke (`revoked`) a source."""
    with lib.db.write() as session:
        source = _configurable(session, operator, ref)
        source.state = state
        return _described(lib, session, source)


def edit(lib: Plumbing, operator: Operator, ref: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change `letters`, `repos`, `to` or `state`; what is not named stays. Raises as `add` does."""
    with lib.db.write() as session:
        source = _configurable(session, operator, ref)
        if "letters" in changes:
            granted = letters.parse(changes["letters"])
            # what it already has is nobody's grant now
            operator.may_grant(
                "".join(sorted(set(granted) - set(source.letters))), "a source its letters"
            )
            source.letters = granted
        if "repos" in changes:
            source.repo_globs = _check_globs(changes["repos"])
        if "to" in changes:
            owner = Owner(_owner_id(source), "The owner", source.owner_team_id is not None)
            targets = _targets(session, owner, changes["to"]) if changes["to"] else []
            store.set_routes(session, source.id, [(each.id, queue) for each, queue in targets])
        if "state" in changes:
            source.state = _check_state(changes["state"])
        return _described(lib, session, source)


def _check_state(state: str) -> str:
    if state not in ("active", "paused"):
        raise Invalid("A source is active or paused; revoking it is another call.", field="state")
    return state


def rotate(lib: Plumbing, operator: Operator, ref: str, secret: str | None = None) -> Added:
    """Give a source a new secret; the old one is accepted for another hour."""
    fresh = _check_secret(secret) if secret is not None else crypto.new_webhook_secret()
    lib.sealer.require()
    with lib.db.write() as session:
        source = _configurable(session, operator, ref)
        store.expire_secrets(session, source.id, clock.ahead(OVERLAP_SECONDS))
        _add_secret(lib, session, source.id, fresh)
        return Added(_described(lib, session, source), fresh)


def _configurable(session: Session, operator: Operator, ref: str) -> Source:
    source = owners.the_one(store.sources_called(session, ref, operator.visible), ref, "source")
    operator.may_configure(_owner_id(source))
    return source


def _owner_id(source: Source) -> str:
    return source.owner_account_id or source.owner_team_id or ""
