"""Adding a source: who may write in; and what is written of it in the event log."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access import letters, owners
from switchboard.access.principals import Operator, Owner
from switchboard.errors import Conflict
from switchboard.events import log as events
from switchboard.inbound import source_checks
from switchboard.inbound.source_views import described
from switchboard.lib import clock, crypto, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Source, SourceRoute, SourceSecret
from switchboard.providers import addable_kind
from switchboard.threads import repos


@dataclass(frozen=True)
class NewSource:
    """What adding a source needs.

    Without `secret` one is made, without `letters` it gets those usual for its kind. `to` are
    `endpoint[:queue]`, `repos` the repositories it may speak for, `repo` where a `signed` one files.
    """

    kind: str
    name: str
    owner: Mapping[str, Any] | str | None = None
    host: str = ""
    repos: Sequence[str] = ()
    letters: str | None = None
    secret: str | None = None
    to: Sequence[str] = ()
    repo: str | None = None
    red_opens_todo: bool = False


@dataclass(frozen=True)
class Added:
    """A source just added or rotated: the one time its secret exists in clear. None: it has none."""

    source: dict[str, Any]
    secret: str | None


def add(lib: Plumbing, operator: Operator, new: NewSource) -> Added:
    """Add a source. Raises Invalid, Conflict (taken name, `encryption_required`), NotFound."""
    with lib.db.write() as session:
        return add_in(lib, session, operator, new)


def add_in(lib: Plumbing, session: Session, operator: Operator, new: NewSource) -> Added:
    """The same in the caller's transaction."""
    kind = addable_kind(lib.settings, new.kind)
    lib.sealer.require()
    granted = letters.parse(kind.default_letters if new.letters is None else new.letters)
    operator.may_grant(granted, "a source its letters")
    secret = source_checks.secret(kind, new.secret)
    host, globs = source_checks.host(kind, new.host), source_checks.globs(kind, new.repos)
    label = source_checks.repo_label(kind, new.repo)
    source_checks.red_opens_todo(kind, new.red_opens_todo)
    owner = owners.resolve(session, operator, new.owner)
    repo = repos.claim(session, operator, owner, label) if label else None
    source = _row(lib, operator, owner, new, granted, host, globs, repo.id if repo else None)
    session.add(source)
    try:
        session.flush()
    except IntegrityError:
        raise Conflict(f"{owner.name} has a source named {new.name}.", field="name") from None
    if secret is not None:
        add_secret(lib, session, source.id, secret)
    for endpoint, queue in source_checks.targets(session, owner, new.to):
        session.add(SourceRoute(source_id=source.id, endpoint_id=endpoint.id, queue=queue))
    shown = described(lib, session, source)
    note(session, operator, "added", source, letters=granted, to=shown["to"])
    return Added(shown, secret)


def _row(
    lib: Plumbing,
    operator: Operator,
    owner: Owner,
    new: NewSource,
    granted: str,
    host: str,
    globs: list[str],
    repo_id: str | None,
) -> Source:
    source_id, token = ids.new("source"), secrets.token_urlsafe(24)
    return Source(
        id=source_id,
        kind=new.kind,
        name=owners.check_name(new.name),
        **owner.columns,
        token_hash=crypto.token_hash(token),
        token_sealed=lib.sealer.seal(token, source_id),
        letters=granted,
        state="active",
        host=host,
        repo_globs=globs,
        secret_known_to_agent=operator.endpoint_id is not None,
        repo_id=repo_id,
        rules=[],
        red_opens_todo=new.red_opens_todo,
        failures=0,
        created_by_account_id=operator.creator_id,
        made_by_endpoint_id=operator.endpoint_id,
        created_at=clock.now(),
    )


def add_secret(lib: Plumbing, session: Session, source_id: str, secret: str) -> None:
    """Seal and keep a signing secret, good from now on."""
    secret_id = ids.new("source_secret")
    row = SourceSecret(
        id=secret_id,
        source_id=source_id,
        sealed=lib.sealer.seal(secret, secret_id),
        fingerprint=crypto.fingerprint(secret),
        created_at=clock.now(),
    )
    session.add(row)


def note(session: Session, operator: Operator, verb: str, source: Source, **data: Any) -> None:
    """Write what was done to the source into the event log."""
    about = f"{source.kind} {source.name}"
    happened = events.Happened(f"source.{verb}", source.owner_id, source.id, about, data)
    events.append(session, operator.actor, happened)
