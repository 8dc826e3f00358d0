"""Managing connections: add, list, edit, rotate, delete; and selecting one for an address."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access import endpoints, owners
from switchboard.access.principals import Operator
from switchboard.errors import Conflict, Invalid
from switchboard.events import log as events
from switchboard.lib import clock, crypto, ids
from switchboard.lib.express import Write
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean
from switchboard.models import Connection
from switchboard.providers import connection_kind
from switchboard.providers.base import Credential
from switchboard.vault import given, store

Unless = Callable[[Connection], None]


def _nothing(_: Connection) -> None:
    """No further condition."""


@dataclass(frozen=True)
class NewConnection:
    """What adding a connection needs; `endpoints` are names, slugs or ids of the owner's."""

    kind: str
    name: str
    account_key: str
    secret: str
    owner: Mapping[str, Any] | str | None = None
    targets: Sequence[str] = ()
    endpoints: Sequence[str] = ()
    signature: str | None = None
    replies_per_todo: int | None = None


def add(lib: Plumbing, operator: Operator, new: NewConnection) -> dict[str, Any]:
    """Seal and keep a credential.

    Raises Conflict (`encryption_required`, a taken name or account), Invalid, NotFound, Forbidden.
    """
    lib.sealer.require()
    match_key = connection_kind(lib.settings, new.kind).host_of(
        given.check_key(lib, new.account_key)
    )
    secret = given.check_secret(new.secret)
    connection_id = ids.new("connection")
    with lib.db.write() as session:
        owner = owners.resolve(session, operator, new.owner)
        connection = Connection(
            id=connection_id,
            kind=new.kind,
            name=owners.check_name(new.name),
            **owner.columns,
            account_key=new.account_key.rstrip("/"),
            match_key=match_key,
            secret=lib.sealer.seal(secret, bound_to(connection_id, new.kind)),
            secret_fingerprint=crypto.fingerprint(secret),
            targets=given.check_targets(new.targets),
            targets_by_agent=operator.endpoint_id is not None,
            endpoints=_endpoint_ids(session, owner.id, new.endpoints),
            signature=given.check_signature(new.signature),
            replies_per_todo=given.check_cap(new.replies_per_todo),
            created_by_account_id=operator.creator_id,
            created_at=clock.now(),
        )
        session.add(connection)
        try:
            session.flush()
        except IntegrityError:
            raise Conflict(
                f"{owner.name} has a {new.kind} connection of that name or for that account.",
                field="name",
            ) from None
        fingerprint = connection.secret_fingerprint
        note(session, operator, "added", connection, fingerprint=fingerprint)
        return _describe(session, connection, owner.label)


def bound_to(connection_id: str, kind: str) -> str:
    """The associated data: a ciphertext opens only in its own row and kind."""
    return f"{connection_id}:{kind}"


def note(
    session: Session, operator: Operator, verb: str, connection: Connection, **data: Any
) -> None:
    """Write what was done to the connection into the event log."""
    about = f"{connection.kind} {connection.name}"
    happened = events.Happened(
        f"connection.{verb}", _owner_id(connection), connection.id, about, data
    )
    events.append(session, operator.actor, happened)


def _endpoint_ids(
    session: Session, owner_id: str, refs: Sequence[str], kept: Sequence[str] = ()
) -> list[str]:
    wanted = [clean(ref).strip() for ref in refs]
    if not all(wanted):
        raise given.blank("endpoints")
    known = store.endpoints_named(session, owner_id, wanted, clock.now())
    # what stands there may stay when it has ended: without it the list could open to all
    known |= {endpoint_id: endpoint_id for endpoint_id in kept}
    if missing := [ref for ref in wanted if ref not in known]:
        raise Invalid(f"The owner has no live endpoint {missing[0]}.", field="endpoints")
    return list(dict.fromkeys(known[ref] for ref in wanted))


def _describe(
    session: Session, connection: Connection, owner: Mapping[str, str] | None
) -> dict[str, Any]:
    names = endpoints.names(session, connection.endpoints)
    return {
        "id": connection.id,
        "name": connection.name,
        "kind": connection.kind,
        "owner": owner,
        "account_key": connection.account_key,
        "fingerprint": connection.secret_fingerprint,
        "targets": list(connection.targets),
        "endpoints": [names.get(each, each) for each in connection.endpoints],
        "endpoint_ids": list(connection.endpoints),
        "signature": connection.signature,
        "replies_per_todo": connection.replies_per_todo,
        "created_at": clock.iso(connection.created_at),
        "rotated_at": clock.iso(connection.rotated_at),
        "last_used_at": clock.iso(connection.last_used_at),
        "last_test": connection.last_test,
        "closed_until": clock.iso(connection.closed_until),
    }


def _described(session: Session, connection: Connection) -> dict[str, Any]:
    return _describe(session, connection, owners.label_of(session, _owner_id(connection)))


def in_view(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The connections the operator may see, oldest first; fingerprints, never secrets."""
    with lib.db.read() as session:
        rows = store.connections_in(session, operator.visible)
        described = [(_owner_id(row), _describe(session, row, None)) for row in rows]
    labels = owners.labels(lib, [owner_id for owner_id, _ in described])
    return [each | {"owner": labels.get(owner_id)} for owner_id, each in described]


def managed(lib: Plumbing, operator: Operator) -> set[str]:
    """The ids of the connections that the operator may change."""
    with lib.db.read() as session:
        return {row.id for row in store.connections_in(session, operator.configurable)}


def edit(lib: Plumbing, operator: Operator, ref: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change `name`, `targets`, `endpoints`, `signature` or `replies_per_todo`; the rest stays."""
    with lib.db.write() as session:
        connection = configurable(session, operator, ref)
        if "name" in changes:
            connection.name = owners.check_name(changes["name"])
        if "targets" in changes:
            connection.targets = given.check_targets(changes["targets"])
            connection.targets_by_agent = operator.endpoint_id is not None
        if "endpoints" in changes:
            owner_id = _owner_id(connection)
            connection.endpoints = _endpoint_ids(
                session, owner_id, changes["endpoints"], connection.endpoints
            )
        if "signature" in changes:
            connection.signature = given.check_signature(changes["signature"])
        if "replies_per_todo" in changes:
            connection.replies_per_todo = given.check_cap(changes["replies_per_todo"])
        try:
            session.flush()
        except IntegrityError:
            raise Conflict("There is a connection of that name.", field="name") from None
        note(
            session, operator, "edited", connection, **{n: getattr(connection, n) for n in changes}
        )
        return _described(session, connection)


def rotate(
    lib: Plumbing, operator: Operator, ref: str, secret: str, *, unless: Unless = _nothing
) -> dict[str, Any]:
    """Replace the credential; the old one is gone. Opens a connection closed for its old one.

    `unless` may raise a refusal for the connection meant.
    """
    fresh = given.check_secret(secret)
    with lib.db.write() as session:
        connection = configurable(session, operator, ref)
        unless(connection)
        connection.secret = lib.sealer.seal(fresh, bound_to(connection.id, connection.kind))
        connection.secret_fingerprint = crypto.fingerprint(fresh)
        connection.rotated_at = clock.now()
        # whose the posts are is likely the same: until a test says so, the bot's own are not work
        connection.last_test = connection.closed_until = None
        note(session, operator, "rotated", connection, fingerprint=connection.secret_fingerprint)
        session.flush()
        return _described(session, connection)


def delete(
    lib: Plumbing, operator: Operator, ref: str, *, unless: Unless = _nothing
) -> dict[str, Any]:
    """Forget a connection and its credential. Replies still pending on it will fail.

    `unless` may raise a refusal for the connection meant.
    """
    with lib.db.write() as session:
        connection = configurable(session, operator, ref)
        unless(connection)
        note(session, operator, "deleted", connection, fingerprint=connection.secret_fingerprint)
        session.delete(connection)
        return _described(session, connection)


def credential_of(lib: Plumbing, connection: Connection) -> Credential:
    """Open a connection for one call. Raises Conflict `encryption_required`."""
    secret = open_sealed(lib, connection.id, connection.kind, connection.secret)
    return Credential(connection.account_key, secret)


def open_sealed(lib: Plumbing, connection_id: str, kind: str, sealed: str) -> str:
    """The secret of a connection's row. Raises Conflict `encryption_required`."""
    return lib.sealer.open(sealed, bound_to(connection_id, kind))


@dataclass(frozen=True)
class Kept:
    """A connection as a call needs it, read in one transaction and opened outside of it."""

    id: str
    kind: str
    account_key: str
    fingerprint: str
    sealed: str = field(repr=False)

    def opened(self, lib: Plumbing) -> Credential:
        """For one call. Raises Conflict `encryption_required`."""
        return Credential(self.account_key, open_sealed(lib, self.id, self.kind, self.sealed))

    def used_write(self, now: datetime, closed_until: datetime | None) -> Write:
        """Note the use, as `used_write` does."""
        return used_write(self.id, self.fingerprint, now, closed_until)


def kept(session: Session, connection_id: str) -> Kept | None:
    """The connection of that id, whoever's it is."""
    row = session.get(Connection, connection_id)
    if row is None:
        return None
    return Kept(row.id, row.kind, row.account_key, row.secret_fingerprint, row.secret)


def for_account(session: Session, owner_id: str, kind: str, match_key: str) -> Connection | None:
    """The owner's connection for exactly that account, or None."""
    return store.for_account(session, owner_id, kind, match_key)


def posts_as(session: Session, owner_id: str, bot_id: str) -> bool:
    """Whether a connection of the owner was seen, when tested, to post as that bot."""
    return store.posts_as(session, owner_id, bot_id)


def writes_as(connection: Connection, author: str) -> bool:
    """Whether its last test found that it posts as the account of that name."""
    known = (connection.last_test or {}).get("identity")
    return isinstance(known, str) and known.casefold() == author.casefold()


def used_write(
    connection_id: str, fingerprint: str, now: datetime, closed_until: datetime | None
) -> Write:
    """Note that a credential was used, and keep its connection closed for as long as the provider asked."""
    return store.used_write(connection_id, fingerprint, now, closed_until)


def configurable(session: Session, operator: Operator, ref: str) -> Connection:
    called = store.connections_called(session, ref, operator.visible)
    connection = owners.the_one(called, ref, "connection")
    operator.may_configure(_owner_id(connection))
    return connection


def _owner_id(connection: Connection) -> str:
    return connection.owner_account_id or connection.owner_team_id or ""
