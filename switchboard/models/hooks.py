"""Doorbells: the outbound hook of an endpoint, and each call of it that is to be made or was."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, reference, unchecked

MAX_URL = 1024
_PENDING = text("state = 'pending'")


class EndpointHook(Base):
    """The one hook of an endpoint, its sealed secret, and how its calls went.

    `previous_secret` signs beside `secret` until `previous_until`. `failures` counts the calls that
    failed since the last that did not.
    """

    __tablename__ = "endpoint_hooks"

    endpoint_id: Mapped[str] = reference("endpoints.id", on_delete="CASCADE", primary_key=True)
    url: Mapped[str] = mapped_column(String(MAX_URL))
    secret: Mapped[str]
    secret_fingerprint: Mapped[str] = mapped_column(String(12))
    previous_secret: Mapped[str | None]
    previous_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    rotated_at: Mapped[datetime | None]
    last_success_at: Mapped[datetime | None]
    last_failure_at: Mapped[datetime | None]
    last_failure_class: Mapped[str | None] = mapped_column(String(16))
    last_failure_code: Mapped[str | None] = mapped_column(String(64))
    failures: Mapped[int] = mapped_column(default=0)


class HookCall(Base):
    """One bell for one todo; its id is the `webhook-id` of every attempt.

    `claimed_at` is the claim of the attempt under way, `attempts` counts those that were begun.
    """

    __tablename__ = "hook_calls"
    __table_args__ = (
        CheckConstraint("state IN ('pending', 'sent', 'failed')", name="state"),
        Index(
            "ix_hook_calls_pending",
            "endpoint_id",
            "next_at",
            sqlite_where=_PENDING,
            postgresql_where=_PENDING,
        ),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    endpoint_id: Mapped[str] = unchecked()
    todo_id: Mapped[str] = unchecked()
    state: Mapped[str] = mapped_column(String(8))
    attempts: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime]
    claimed_at: Mapped[datetime | None]
    error_class: Mapped[str | None] = mapped_column(String(16))
    error_code: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
