"""Where notifications go, what is to be sent there, and the tokens by which a mail is answered."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner, reference

MAX_ADDRESS = 254  # RFC 5321 section 4.5.3.1.3, without the angle brackets
MAX_ANSWERS = 512  # characters of a notify transaction, a work item ref among them
_PENDING = text("state = 'pending'")


class Sink(Owned, Base):
    """One place where an owner is told of what it subscribed to (`events`).

    An `email` one has an address, or none: then everybody it stands for is written to at his account's.
    The others speak through a connection of the vault, which holds the credential (None: deleted since).
    `failures` counts since the last message that was taken.
    """

    __tablename__ = "sinks"
    __table_args__ = (
        exactly_one_owner(),
        CheckConstraint("kind IN ('email', 'gotify', 'apprise', 'notify')", name="kind"),
        Index(
            "uq_sinks_owner_name",
            text("coalesce(owner_account_id, owner_team_id)"),
            "name",
            unique=True,
        ),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(64))
    address: Mapped[str | None] = mapped_column(String(MAX_ADDRESS))
    connection_id: Mapped[str | None] = reference(
        "outbound_connections.id", on_delete="SET NULL", index=True
    )
    events: Mapped[list[str]]
    created_by_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    created_at: Mapped[datetime]
    last_success_at: Mapped[datetime | None]
    last_failure_at: Mapped[datetime | None]
    last_failure_class: Mapped[str | None] = mapped_column(String(16))
    last_failure_code: Mapped[str | None] = mapped_column(String(64))
    failures: Mapped[int] = mapped_column(default=0)


class Notice(Base):
    """One thing that one reader is told through one sink: a row of the outbox.

    `claimed_at` is the claim of the attempt under way, `message_id` the message it went into: notices
    of one `bundle` that are due together become one. `account_id` is who reads it, where that is known;
    `place_id` the thread, todo or question that an answer goes to, `answers` how a notify service names it.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        CheckConstraint("state IN ('pending', 'sent', 'failed', 'unknown')", name="state"),
        Index("ix_outbox_sink_id_id", "sink_id", "id"),
        Index("ix_outbox_pending", "next_at", sqlite_where=_PENDING, postgresql_where=_PENDING),
        Index("ix_outbox_message_id", "message_id"),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    sink_id: Mapped[str] = reference("sinks.id", on_delete="CASCADE")
    account_id: Mapped[str | None] = reference("accounts.id", on_delete="CASCADE")
    address: Mapped[str | None] = mapped_column(String(MAX_ADDRESS))
    event: Mapped[str] = mapped_column(String(16))
    bundle: Mapped[str] = mapped_column(String(64))
    place_id: Mapped[str | None] = mapped_column(String(ID_LENGTH))
    answers: Mapped[str | None] = mapped_column(String(MAX_ANSWERS))
    title: Mapped[str] = mapped_column(String(300))
    text: Mapped[str]
    path: Mapped[str] = mapped_column(String(1024))
    state: Mapped[str] = mapped_column(String(8))
    attempts: Mapped[int] = mapped_column(default=0)
    next_at: Mapped[datetime]
    claimed_at: Mapped[datetime | None]
    message_id: Mapped[str | None] = mapped_column(String(ID_LENGTH))
    error_class: Mapped[str | None] = mapped_column(String(16))
    error_code: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class MailToken(Base):
    """What one mail's Reply-To carries, stored hashed: who may answer, and in which place.

    `place_id` is a thread's, a todo's or a question's id. `used_at` is when an answer with it was taken.
    """

    __tablename__ = "mail_tokens"
    __table_args__ = (
        Index("ix_mail_tokens_account_id_place_id", "account_id", "place_id"),
        Index("ix_mail_tokens_expires_at", "expires_at"),
    )

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    account_id: Mapped[str] = reference("accounts.id", on_delete="CASCADE")
    place_id: Mapped[str] = mapped_column(String(ID_LENGTH))
    message_id: Mapped[str] = mapped_column(String(ID_LENGTH))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
