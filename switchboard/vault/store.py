"""The SQL of connections."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, case, func, or_, select, update
from sqlalchemy.orm import Session

from switchboard.lib.express import Prepared, Write
from switchboard.models import Connection, Endpoint
from switchboard.models.base import in_scope, table_of
from switchboard.models.endpoints import live_endpoint


def connections_in(session: Session, owner_ids: Collection[str] | None) -> list[Connection]:
    statement = select(Connection).where(in_scope(Connection, owner_ids))
    return list(session.scalars(statement.order_by(Connection.id)))


def connections_called(
    session: Session, ref: str, owner_ids: Collection[str] | None
) -> list[Connection]:
    """The connections with that id or name within the scope."""
    statement = select(Connection).where(
        in_scope(Connection, owner_ids), or_(Connection.id == ref, Connection.name == ref)
    )
    return list(session.scalars(statement))


def all_locked(session: Session) -> list[Connection]:
    """Every connection, held until the transaction ends so that no credential changes meanwhile."""
    return list(session.scalars(select(Connection).order_by(Connection.id).with_for_update()))


def for_account(session: Session, owner_id: str, kind: str, match_key: str) -> Connection | None:
    """The one connection of an owner for an account key, or None: there is no best match."""
    return session.scalar(
        select(Connection).where(
            in_scope(Connection, [owner_id]),
            Connection.kind == kind,
            Connection.match_key == match_key,
        )
    )


def posts_as(session: Session, owner_id: str, bot_id: str) -> bool:
    """Whether a connection of the owner posts as that bot, as far as a test found out."""
    statement = select(Connection.id).where(
        in_scope(Connection, [owner_id]), Connection.bot_id == bot_id
    )
    return session.scalar(statement.limit(1)) is not None


def endpoints_named(
    session: Session, owner_id: str, refs: Collection[str], now: datetime
) -> dict[str, str]:
    """Name, slug or id → id, of one owner's live endpoints."""
    rows = session.execute(
        select(Endpoint.id, Endpoint.slug, Endpoint.name).where(
            in_scope(Endpoint, [owner_id]),
            live_endpoint(now),
            or_(Endpoint.id.in_(refs), Endpoint.slug.in_(refs), Endpoint.name.in_(refs)),
        )
    )
    return {ref: row[0] for row in rows for ref in row}


def keep_test(session: Session, connection_id: str, fingerprint: str, **values: Any) -> bool:
    """Keep what a test found, unless the credential that was tested is not there any more."""
    kept = session.execute(
        update(Connection)
        .where(Connection.id == connection_id, Connection.secret_fingerprint == fingerprint)
        .values(**values)
    )
    return bool(kept.rowcount)  # type: ignore[attr-defined]


_CONNECTIONS = table_of(Connection)
_CLOSED = _CONNECTIONS.c.closed_until
_UNTIL = bindparam("until", type_=_CLOSED.type)
_USED = Prepared(
    update(_CONNECTIONS)
    .where(
        _CONNECTIONS.c.id == bindparam("connection_id"),
        # what was rotated meanwhile has not been used
        _CONNECTIONS.c.secret_fingerprint == bindparam("fingerprint"),
    )
    # an earlier closing that lasts longer stays
    .values(
        last_used_at=bindparam("now"),
        closed_until=case((_CLOSED > _UNTIL, _CLOSED), else_=func.coalesce(_UNTIL, _CLOSED)),
    )
)


def used_write(
    connection_id: str, fingerprint: str, now: datetime, closed_until: datetime | None
) -> Write:
    """That credential was used at `now`, and its connection is closed until then (None: as it was)."""
    values = {
        "connection_id": connection_id,
        "fingerprint": fingerprint,
        "now": now,
        "until": closed_until,
    }
    return Write(_USED, values)
