"""The SQL of sessions and of the answers on their way to them. Questions are `question_store.py`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from switchboard.models import AgentSession, SessionMessage
from switchboard.models.base import in_scope


def live(
    session: Session,
    ref: str,
    owner_ids: Collection[str] | None,
    *,
    locked: bool = False,
) -> list[AgentSession]:
    """Those of the owners that work on `ref` and have not ended: one an owner at most."""
    statement = (
        select(AgentSession)
        .where(
            AgentSession.ref == ref,
            AgentSession.state != "ended",
            in_scope(AgentSession, owner_ids),
        )
        .order_by(AgentSession.id)
    )
    return list(session.scalars(statement.with_for_update() if locked else statement))


def live_of(session: Session, refs: Collection[str]) -> dict[tuple[str, str], AgentSession]:
    """(owner id, ref) → the session that works on it, of several work items at once."""
    found = session.scalars(
        select(AgentSession).where(AgentSession.ref.in_(refs), AgentSession.state != "ended")
    )
    return {(each.owner_id, each.ref): each for each in found}


def called(session: Session, name: str, owner_ids: Collection[str] | None) -> list[AgentSession]:
    """Those within the scope that have this id, or work on this ref and have not ended; locked."""
    by_id = AgentSession.id == name
    by_ref = (AgentSession.ref == name) & (AgentSession.state != "ended")
    statement = select(AgentSession).where(by_id | by_ref, in_scope(AgentSession, owner_ids))
    return list(session.scalars(statement.with_for_update()))


def by_id(session: Session, session_id: str, *, locked: bool = False) -> AgentSession | None:
    statement = select(AgentSession).where(AgentSession.id == session_id)
    return session.scalar(statement.with_for_update() if locked else statement)


def search(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    ref: str | None,
    state: str | None,
    after: str | None,
    limit: int,
) -> list[AgentSession]:
    """Sessions newest first, before the id `after`."""
    statement = select(AgentSession).where(in_scope(AgentSession, owner_ids))
    if ref is not None:
        statement = statement.where(AgentSession.ref == ref)
    if state is not None:
        statement = statement.where(AgentSession.state == state)
    if after is not None:
        statement = statement.where(AgentSession.id < after)
    return list(session.scalars(statement.order_by(AgentSession.id.desc()).limit(limit)))


def mailbox(session: Session, endpoint_id: str, ref: str) -> AgentSession | None:
    """The endpoint's own mailbox for `ref` that has not ended."""
    return session.scalar(
        select(AgentSession).where(
            AgentSession.endpoint_id == endpoint_id,
            AgentSession.ref == ref,
            AgentSession.transport == "mailbox",
            AgentSession.state != "ended",
        )
    )


def touch(session: Session, session_id: str, now: datetime, unless_since: datetime) -> None:
    """Note that its agent was seen, unless it was since then."""
    seen = AgentSession.last_seen_at
    session.execute(
        update(AgentSession)
        .where(AgentSession.id == session_id, seen.is_(None) | (seen < unless_since))
        .values(last_seen_at=now),
        execution_options={"synchronize_session": False},
    )


def has_unread(session: Session, session_id: str) -> bool:
    statement = select(SessionMessage.id).where(
        SessionMessage.session_id == session_id, SessionMessage.state.in_(("queued", "delivered"))
    )
    return session.scalar(statement.limit(1)) is not None


def take_unread(
    session: Session, session_id: str, now: datetime, most: int
) -> list[SessionMessage]:
    """The oldest answers not read yet; those that were queued are delivered by this."""
    found = list(
        session.scalars(
            select(SessionMessage)
            .where(
                SessionMessage.session_id == session_id,
                SessionMessage.state.in_(("queued", "delivered")),
            )
            .order_by(SessionMessage.id)
            .limit(most)
            .with_for_update()
        )
    )
    for message in found:
        if message.state == "queued":
            message.state, message.delivered_at = "delivered", now
    return found


def message_of_endpoint(
    session: Session, endpoint_id: str, message_id: str
) -> SessionMessage | None:
    """An answer in a mailbox of the endpoint, locked."""
    return session.scalar(
        select(SessionMessage)
        .join(AgentSession, AgentSession.id == SessionMessage.session_id)
        .where(
            SessionMessage.id == message_id,
            AgentSession.endpoint_id == endpoint_id,
            AgentSession.transport == "mailbox",
        )
        .with_for_update(of=SessionMessage)
    )


def on_its_way(session: Session, session_id: str, since: datetime) -> SessionMessage | None:
    """An answer to the session that was taken since then and not brought so far."""
    return session.scalars(
        select(SessionMessage)
        .where(
            SessionMessage.session_id == session_id,
            SessionMessage.state == "queued",
            SessionMessage.created_at >= since,
        )
        .limit(1)
    ).first()


def message(session: Session, message_id: str) -> SessionMessage:
    """One that is there, held until the transaction ends."""
    return session.scalars(
        select(SessionMessage).where(SessionMessage.id == message_id).with_for_update()
    ).one()


def receipts(
    session: Session, ref: str, owner_ids: Collection[str] | None, most: int
) -> list[tuple[SessionMessage, str]]:
    """The answers to the sessions on `ref` within the scope, newest first, each with its transport."""
    rows = session.execute(
        select(SessionMessage, AgentSession.transport)
        .join(AgentSession, AgentSession.id == SessionMessage.session_id)
        .where(AgentSession.ref == ref, in_scope(AgentSession, owner_ids))
        .order_by(SessionMessage.id.desc())
        .limit(most)
    )
    return [(message, transport) for message, transport in rows]
