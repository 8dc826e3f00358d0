"""Todos: one unit of work on one endpoint's queue."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import (
    ID_LENGTH,
    Base,
    Json,
    Owned,
    exactly_one_owner,
    reference,
    unchecked,
)


class Todo(Owned, Base):
    """A todo with its lease. `attempt` counts claims; a dead-lettered one stays `failed`.

    `thread_id` is the ticket it stands for, if one opened it; others keep their comments themselves.
    """

    __tablename__ = "todos"
    __table_args__ = (
        exactly_one_owner(),
        CheckConstraint("state IN ('pending', 'claimed', 'done', 'failed')", name="state"),
        UniqueConstraint("delivery_id", "endpoint_id", "queue"),
        Index("ix_todos_endpoint_id_state_id", "endpoint_id", "state", "id"),
        Index(
            "ix_todos_lease",
            "lease_expires_at",
            sqlite_where=text("state = 'claimed'"),
            postgresql_where=text("state = 'claimed'"),
        ),
        Index(
            "ix_todos_thread_id",
            "thread_id",
            sqlite_where=text("thread_id IS NOT NULL"),
            postgresql_where=text("thread_id IS NOT NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    owner_account_id: Mapped[str | None] = unchecked()
    owner_team_id: Mapped[str | None] = unchecked()
    endpoint_id: Mapped[str] = unchecked()
    queue: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(8))
    attempt: Mapped[int] = mapped_column(default=0)
    failures: Mapped[int] = mapped_column(default=0)
    title: Mapped[str] = mapped_column(String(300))
    subject: Mapped[str | None] = mapped_column(String(300))
    kind: Mapped[str] = mapped_column(String(128))
    source_id: Mapped[str | None] = unchecked()
    delivery_id: Mapped[str | None] = reference("deliveries.id", on_delete="SET NULL")
    thread_id: Mapped[str | None] = unchecked()
    reply_to: Mapped[dict[str, Any] | None]
    not_before: Mapped[datetime | None]
    lease_expires_at: Mapped[datetime | None]
    result: Mapped[Any | None] = mapped_column(Json)
    last_failure: Mapped[str | None] = mapped_column(String(300))
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    dead_lettered_at: Mapped[datetime | None]
