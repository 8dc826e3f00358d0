"""The SQL of faults."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from switchboard.models import Fault
from switchboard.models.base import in_scope, table_of


def insert_unless_standing(session: Session, row: Mapping[str, Any]) -> bool:
    """Write the fault unless one of its code about the same thing stands; whether it was written."""
    # both databases speak this form of it, so one of their dialects' constructs serves
    statement = postgresql.insert(table_of(Fault)).values(**row).on_conflict_do_nothing()
    written = session.connection().execute(statement, execution_options={"preserve_rowcount": True})
    return bool(written.rowcount)


def untold(session: Session, most: int) -> list[str]:
    """The ids of faults nobody was told of, the oldest first."""
    statement = select(Fault.id).where(Fault.told_at.is_(None)).order_by(Fault.id)
    return list(session.scalars(statement.limit(most)))


def mark_told(session: Session, fault_ids: Collection[str], now: datetime) -> list[Fault]:
    """Take the telling of these upon the caller; which of them nobody else had taken and still stand."""
    taken = session.scalars(
        update(Fault)
        .where(Fault.id.in_(fault_ids), Fault.told_at.is_(None))
        .values(told_at=now)
        .returning(Fault),
        execution_options={"synchronize_session": False},
    )
    return [fault for fault in taken if fault.cleared_at is None]


def clear(session: Session, code: str, about_id: str, by: str | None, now: datetime) -> None:
    """End the standing fault of that code about that thing, if there is one."""
    session.execute(
        update(Fault)
        .where(Fault.code == code, Fault.about_id == about_id, Fault.cleared_at.is_(None))
        .values(cleared_at=now, cleared_by_account_id=by)
    )


def in_view(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    about_id: str | None = None,
    standing: bool | None = None,
    after: str | None = None,
    limit: int,
) -> list[Fault]:
    """Faults newest first, before the id `after`."""
    statement = select(Fault).where(in_scope(Fault, owner_ids))
    if about_id is not None:
        statement = statement.where(Fault.about_id == about_id)
    if standing is not None:
        over = Fault.cleared_at.is_not(None)
        statement = statement.where(~over if standing else over)
    if after is not None:
        statement = statement.where(Fault.id < after)
    return list(session.scalars(statement.order_by(Fault.id.desc()).limit(limit)))


def standing_about(session: Session, code: str) -> set[str]:
    """The ids of the things about which a fault of that code stands."""
    return set(
        session.scalars(
            select(Fault.about_id).where(Fault.code == code, Fault.cleared_at.is_(None))
        )
    )


def stands(session: Session, code: str, about_id: str) -> bool:
    """Whether a fault of that code stands about that thing."""
    statement = select(Fault.id).where(
        Fault.code == code, Fault.about_id == about_id, Fault.cleared_at.is_(None)
    )
    return session.scalar(statement) is not None


def last_cleared(session: Session, code: str, about_id: str) -> datetime | None:
    """When a fault of that code about that thing was last cleared; None: never."""
    statement = select(func.max(Fault.cleared_at))
    return session.scalar(statement.where(Fault.code == code, Fault.about_id == about_id))


def cleared_before(session: Session, before: datetime, most: int) -> list[str]:
    """The ids of up to `most` faults that were cleared before that."""
    statement = select(Fault.id).where(Fault.cleared_at < before)
    return list(session.scalars(statement.limit(most)))


def delete_these(session: Session, fault_ids: Collection[str]) -> None:
    """Delete the faults of those ids."""
    session.execute(delete(Fault).where(Fault.id.in_(fault_ids)))
