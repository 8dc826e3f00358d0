"""The SQL of sending: bundles claimed by one conditional UPDATE, settled, swept and let go."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from switchboard.models import Account, Notice, Sink


def due(session: Session, notice_id: str, now: datetime) -> tuple[Notice, Sink] | None:
    """The notice of that id with its sink, if it is due and nobody has claimed it."""
    row = session.execute(
        select(Notice, Sink)
        .join(Sink, Sink.id == Notice.sink_id)
        .where(Notice.id == notice_id, *_free(now))
    ).first()
    return None if row is None else (row[0], row[1])


def by_id(session: Session, notice_id: str) -> Notice | None:
    """The notice, whatever became of it."""
    return session.get(Notice, notice_id)


def _free(now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (Notice.state == "pending", Notice.claimed_at.is_(None), Notice.next_at <= now)


def _together(notice: Notice) -> tuple[ColumnElement[bool], ...]:
    """What may go in one message with a notice: the same bundle for the same reader."""
    account, address = notice.account_id, notice.address
    return (
        Notice.sink_id == notice.sink_id,
        Notice.bundle == notice.bundle,
        Notice.account_id.is_(None) if account is None else Notice.account_id == account,
        Notice.address.is_(None) if address is None else Notice.address == address,
    )


def last_sent(session: Session, notice: Notice, since: datetime, since_id: str) -> datetime | None:
    """When the last message of its bundle went out, if it was since then; `since_id` bounds the look."""
    return session.scalar(
        select(func.max(Notice.finished_at)).where(
            *_together(notice),
            Notice.id >= since_id,
            Notice.state.in_(("sent", "unknown")),
            Notice.finished_at > since,
        )
    )


def put_off(session: Session, notice: Notice, now: datetime, until: datetime) -> None:
    """Let what is due of its bundle wait until then."""
    _rows(session, update(Notice).where(*_together(notice), *_free(now)).values(next_at=until))


def claim(session: Session, notice: Notice, message_id: str, now: datetime) -> list[Notice]:
    """Take all of its bundle that is due and nobody has claimed; empty for all but one caller."""
    claimed = _rows(
        session,
        update(Notice)
        .where(*_together(notice), *_free(now))
        .values(claimed_at=now, message_id=message_id, attempts=Notice.attempts + 1),
    )
    if not claimed:
        return []
    statement = select(Notice).where(Notice.message_id == message_id).order_by(Notice.id)
    return list(session.scalars(statement, execution_options={"populate_existing": True}))


def reader(session: Session, account_id: str) -> Account | None:
    """The account a notice is for, unless it was shut out."""
    return session.scalar(
        select(Account).where(Account.id == account_id, Account.disabled_at.is_(None))
    )


def settle(session: Session, message_id: str, state: str, now: datetime, **error: Any) -> bool:
    """Write the outcome of those of a message that were not given back; whether there were any.

    One that a sweep called unknown meanwhile may yet be known.
    """
    before = ("pending",) if state == "unknown" else ("pending", "unknown")
    return bool(
        _rows(
            session,
            update(Notice)
            .where(
                Notice.message_id == message_id,
                Notice.claimed_at.is_not(None),
                Notice.state.in_(before),
            )
            .values(state=state, finished_at=now, **error),
        )
    )


def release(
    session: Session, message_id: str, attempts: int, until: datetime, **error: Any
) -> bool:
    """Give back those of a message that have attempts left, for then; whether there were any."""
    return bool(
        _rows(
            session,
            update(Notice)
            .where(
                Notice.message_id == message_id,
                Notice.state == "pending",
                Notice.attempts < attempts,
            )
            .values(claimed_at=None, next_at=until, **error),
        )
    )


def lose_unfinished(session: Session, claimed_before: datetime, now: datetime) -> int:
    """Claimed before that and never finished: nobody can tell whether it went, so it never goes again."""
    values = {"state": "unknown", "error_class": "network", "error_code": "worker_lost"}
    return _rows(
        session,
        update(Notice)
        .where(Notice.state == "pending", Notice.claimed_at < claimed_before)
        .values(finished_at=now, **values),
    )


def expire(session: Session, created_before: datetime, now: datetime) -> int:
    """Made before that and not under way: old news."""
    return _rows(
        session,
        update(Notice)
        .where(
            Notice.state == "pending",
            Notice.claimed_at.is_(None),
            Notice.created_at < created_before,
        )
        .values(state="failed", error_class="network", error_code="expired", finished_at=now),
    )


def to_ring(session: Session, now: datetime, most: int) -> list[tuple[str, str]]:
    """(id, kind of sink) of one due notice of each bundle and reader."""
    oldest = func.min(Notice.id)
    rows = session.execute(
        select(oldest, Sink.kind)
        .join(Sink, Sink.id == Notice.sink_id)
        .where(*_free(now))
        .group_by(Notice.sink_id, Sink.kind, Notice.bundle, Notice.account_id, Notice.address)
        .order_by(oldest)
        .limit(most)
    )
    return [(row[0], row[1]) for row in rows]


def finished_before(session: Session, before: str, most: int) -> list[str]:
    """Up to `most` finished notices whose ids are older than `before`."""
    statement = select(Notice.id).where(Notice.id < before, Notice.state != "pending")
    return list(session.scalars(statement.order_by(Notice.id).limit(most)))


def delete_these(session: Session, notice_ids: Collection[str]) -> None:
    """Delete the notices of those ids."""
    session.execute(delete(Notice).where(Notice.id.in_(notice_ids)))


def _rows(session: Session, statement: Any) -> int:
    return int(session.connection().execute(statement).rowcount)
