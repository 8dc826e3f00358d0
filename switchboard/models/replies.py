"""Replies: one outbound post of any purpose, a row before it is a call."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner, reference, unchecked

_PENDING = text("state = 'pending'")
_TROUBLE = text("state IN ('failed', 'unknown')")
_POSTED = text("provider_object_id IS NOT NULL")
_OF_NO_TODO = text("todo_id IS NULL")


class Reply(Owned, Base):
    """A post and its outcome. `dial_started_at` is the claim: only one worker ever sets it.

    `purpose` is `reply`, `question` (an agent asks), `report` (an answer was brought to it) or `relay` (an
    answer by mail goes to where the work came from); only the first is always a todo's. The claim is given
    back only where the provider said no (429), so that nothing can have been posted; `tries` counts the
    claims.
    """

    __tablename__ = "replies"
    __table_args__ = (
        exactly_one_owner(),
        CheckConstraint("state IN ('pending', 'sent', 'failed', 'unknown')", name="state"),
        CheckConstraint("purpose <> 'reply' OR todo_id IS NOT NULL", name="todo"),
        UniqueConstraint("todo_id", "idempotency_key"),
        Index(
            "uq_replies_idempotency_key",
            "idempotency_key",
            unique=True,
            sqlite_where=_OF_NO_TODO,
            postgresql_where=_OF_NO_TODO,
        ),
        Index("ix_replies_pending", "id", sqlite_where=_PENDING, postgresql_where=_PENDING),
        Index("ix_replies_address_key", "address_key", "created_at"),
        Index("ix_replies_trouble", "id", sqlite_where=_TROUBLE, postgresql_where=_TROUBLE),
        Index(
            "ix_replies_echo",
            "provider_object_id",
            sqlite_where=_POSTED,
            postgresql_where=_POSTED,
        ),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(16))
    todo_id: Mapped[str | None] = reference("todos.id", on_delete="CASCADE")
    endpoint_id: Mapped[str | None] = reference("endpoints.id")
    connection_id: Mapped[str | None] = reference(
        "outbound_connections.id", on_delete="SET NULL", index=True
    )
    connection_name: Mapped[str] = mapped_column(String(64))
    connection_fingerprint: Mapped[str] = mapped_column(String(12))
    address: Mapped[dict[str, Any]]
    address_key: Mapped[str] = mapped_column(String(400))
    idempotency_key: Mapped[str] = mapped_column(String(128))
    text: Mapped[str]
    posted_sha256: Mapped[str] = mapped_column(String(64))
    state: Mapped[str] = mapped_column(String(8))
    error_class: Mapped[str | None] = mapped_column(String(16))
    error_code: Mapped[str | None] = mapped_column(String(64))
    provider_object_id: Mapped[str | None] = mapped_column(String(128))
    echo_delivery_id: Mapped[str | None] = unchecked()
    permalink: Mapped[str | None] = mapped_column(String(1024))
    not_before: Mapped[datetime | None]
    dial_started_at: Mapped[datetime | None]
    tries: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
