"""The SQL of sinks."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from switchboard.models import Connection, Notice, Sink
from switchboard.models.base import in_scope


def sinks_in(session: Session, owner_ids: Collection[str] | None) -> list[Sink]:
    """The sinks of these owners, oldest first."""
    return list(session.scalars(select(Sink).where(in_scope(Sink, owner_ids)).order_by(Sink.id)))


def sinks_called(session: Session, ref: str, owner_ids: Collection[str] | None) -> list[Sink]:
    """The sinks with that id or name within the scope."""
    statement = select(Sink).where(in_scope(Sink, owner_ids))
    return list(session.scalars(statement.where(or_(Sink.id == ref, Sink.name == ref))))


def waiting(session: Session, sink_ids: Collection[str]) -> dict[str, int]:
    """Sink id → how many notices wait to be sent through it."""
    statement = select(Notice.sink_id, func.count()).where(
        Notice.sink_id.in_(sink_ids), Notice.state == "pending"
    )
    rows = session.execute(statement.group_by(Notice.sink_id))
    return {sink_id: count for sink_id, count in rows}


def connection_names(session: Session, connection_ids: Collection[str | None]) -> dict[str, str]:
    """Id → name of these connections."""
    statement = select(Connection.id, Connection.name).where(Connection.id.in_(connection_ids))
    return {connection_id: name for connection_id, name in session.execute(statement)}


def keep_success(session: Session, sink_id: str, now: datetime) -> None:
    """It took a message."""
    _set(session, sink_id, last_success_at=now, failures=0)


def keep_failure(session: Session, sink_id: str, failure: tuple[str, str], now: datetime) -> None:
    """It did not take one; why, as class and code."""
    _set(
        session,
        sink_id,
        last_failure_at=now,
        last_failure_class=failure[0],
        last_failure_code=failure[1],
        failures=Sink.failures + 1,
    )


def _set(session: Session, sink_id: str, **values: object) -> None:
    session.execute(
        update(Sink).where(Sink.id == sink_id).values(**values),
        execution_options={"synchronize_session": False},
    )
