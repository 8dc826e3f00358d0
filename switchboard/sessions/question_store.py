"""The SQL of questions: they are derived from the event log and stored nowhere else.

An `awaiting_input` is open while nothing later of its work item and owner took its place: another one, or a
`reply_sent` that is at least as new.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from switchboard.lib import clock
from switchboard.models import Account, Event, Reply, Team

ASKED, ANSWERED = "session.awaiting_input", "session.reply_sent"


def open_now(
    session: Session, owner_ids: Collection[str] | None, ref: str | None = None, most: int = 200
) -> list[Event]:
    """The open questions of these owners (None: everybody's), oldest first; of one work item if given."""
    return list(session.scalars(_open(owner_ids, ref).order_by(Event.at, Event.id).limit(most)))


def _open(owner_ids: Collection[str] | None, ref: str | None) -> Select[Any]:
    statement = select(Event).where(Event.type == ASKED, ~exists().where(_closes(aliased(Event))))
    if owner_ids is not None:
        statement = statement.where(Event.owner_id.in_(owner_ids))
    return statement if ref is None else statement.where(Event.ref == ref)


def _closes(later: type[Event]) -> ColumnElement[bool]:
    newer = or_(later.at > Event.at, and_(later.at == Event.at, later.id > Event.id))
    return and_(
        later.ref == Event.ref,
        later.owner_id == Event.owner_id,
        or_(
            and_(later.type == ANSWERED, later.at >= Event.at),
            and_(later.type == ASKED, newer),
        ),
    )


def in_turn(session: Session, owner_id: str, ref: str) -> datetime:
    """When what is now written about the owner's questions happened: after all that was written before.

    Their order is what says whether one is open, and clocks are set back, or differ between machines. Who
    writes the next waits until this transaction ends.
    """
    for owner in (Account, Team):
        session.execute(
            select(owner.id).where(owner.id == owner_id).with_for_update(key_share=True)
        )
    last = session.scalar(
        select(func.max(Event.at)).where(
            Event.ref == ref, Event.owner_id == owner_id, Event.type.in_((ASKED, ANSWERED))
        )
    )
    return clock.now() if last is None else max(clock.now(), last + timedelta(microseconds=1))


def event(session: Session, event_id: str) -> Event | None:
    return session.get(Event, event_id)


def still_open(session: Session, asked: Event) -> bool:
    """Whether that question waits; one asked again in the same words is the same question."""
    waiting = open_now(session, [asked.owner_id or ""], asked.ref)
    return bool(waiting) and waiting[0].data["question"] == asked.data["question"]


def last_asked(session: Session, ref: str, owner_ids: Collection[str] | None) -> Event | None:
    """The newest question on the work item, of these owners (None: everybody's)."""
    statement = select(Event).where(Event.ref == ref, Event.type == ASKED)
    if owner_ids is not None:
        statement = statement.where(Event.owner_id.in_(owner_ids))
    return session.scalars(statement.order_by(Event.at.desc(), Event.id.desc()).limit(1)).first()


def last_answer(session: Session, owner_id: str, ref: str) -> Event | None:
    """The event that closed the owner's last question on the work item."""
    return session.scalar(
        select(Event)
        .where(Event.ref == ref, Event.owner_id == owner_id, Event.type == ANSWERED)
        .order_by(Event.at.desc(), Event.id.desc())
        .limit(1)
    )


def owners_of(session: Session, ref: str, owner_ids: Collection[str] | None) -> list[str]:
    """The ids of the owners, among these, in whose log the work item stands."""
    statement = (
        select(Event.owner_id).where(Event.ref == ref, Event.owner_id.is_not(None)).distinct()
    )
    if owner_ids is not None:
        statement = statement.where(Event.owner_id.in_(owner_ids))
    return [owner_id for owner_id in session.scalars(statement) if owner_id]


def comments(session: Session, reply_ids: Collection[str]) -> dict[str, tuple[str, str | None]]:
    """Reply id → (state, permalink) of the comments that the questions were posted as."""
    rows = session.execute(
        select(Reply.id, Reply.state, Reply.permalink).where(Reply.id.in_(reply_ids))
    )
    return {reply_id: (state, permalink) for reply_id, state, permalink in rows}
