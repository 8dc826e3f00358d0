"""Sessions: agents at work on a work item, and the answers brought to them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import (
    ID_LENGTH,
    Base,
    Owned,
    exactly_one_owner,
    reference,
    unchecked,
)

_LIVE = text("state <> 'ended'")


class AgentSession(Owned, Base):
    """An agent at work on `ref`. Of one owner at most one that has not ended works on a work item.

    A `tmux` one is a pane of this machine (`target`, and `socket` where it is not the usual one; `pane` is
    which one that was when it was registered, if one was there); a `mailbox` is the endpoint's, which
    collects its answers.
    """

    __tablename__ = "sessions"
    __table_args__ = (
        exactly_one_owner(),
        CheckConstraint("transport IN ('tmux', 'mailbox')", name="transport"),
        CheckConstraint("state IN ('active', 'paused', 'ended')", name="state"),
        CheckConstraint("(transport = 'tmux') = (target IS NOT NULL)", name="target"),
        CheckConstraint("transport = 'tmux' OR endpoint_id IS NOT NULL", name="endpoint"),
        Index(
            "uq_sessions_live",
            text("coalesce(owner_account_id, owner_team_id)"),
            "ref",
            unique=True,
            sqlite_where=_LIVE,
            postgresql_where=_LIVE,
        ),
        Index("ix_sessions_ref_id", "ref", "id"),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    endpoint_id: Mapped[str | None] = reference("endpoints.id")
    ref: Mapped[str] = mapped_column(String(400))
    transport: Mapped[str] = mapped_column(String(8))
    target: Mapped[str | None] = mapped_column(String(200))
    socket: Mapped[str | None] = mapped_column(String(400))
    pane: Mapped[str | None] = mapped_column(String(100))
    state: Mapped[str] = mapped_column(String(8))
    last_seen_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class SessionMessage(Base):
    """An answer on its way to a session: a row before it is brought.

    `actor` is who was authenticated, `claimed_actor` who the caller said it was; `via` is the door it
    came by. `reply_id` is the report of it on the work item.
    """

    __tablename__ = "session_messages"
    __table_args__ = (
        CheckConstraint("state IN ('queued', 'delivered', 'read', 'failed')", name="state"),
        Index("ix_session_messages_session_id_id", "session_id", "id"),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    session_id: Mapped[str] = reference("sessions.id", on_delete="CASCADE")
    ref: Mapped[str] = mapped_column(String(400))
    text: Mapped[str]
    actor: Mapped[str] = mapped_column(String(100))
    actor_id: Mapped[str | None] = unchecked()
    claimed_actor: Mapped[str] = mapped_column(String(100))
    via: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(9))
    trouble: Mapped[str | None] = mapped_column(String(300))
    reply_id: Mapped[str | None] = unchecked()
    created_at: Mapped[datetime]
    delivered_at: Mapped[datetime | None]
    read_at: Mapped[datetime | None]
