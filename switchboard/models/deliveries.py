"""Deliveries: the record of every inbound request, the keys that make repeats harmless, the bodies."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, LargeBinary, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, reference, unchecked


class Delivery(Base):
    """One inbound request and what became of it.

    `count` is above 1 where a flood of equal refusals was folded into this row (`fold_key`);
    `attempt` counts how often the sender sent this same delivery. `diagnosis` is what is most likely
    wrong with a signature; `replay_of` names the delivery that a human sent through again.
    """

    __tablename__ = "deliveries"
    __table_args__ = (
        CheckConstraint("status IN ('accepted', 'refused', 'failed')", name="status"),
        Index("ix_deliveries_source_id_id", "source_id", "id"),
        Index(
            "uq_deliveries_fold_key",
            "fold_key",
            unique=True,
            sqlite_where=text("fold_key IS NOT NULL"),
            postgresql_where=text("fold_key IS NOT NULL"),
        ),
        Index(
            "ix_deliveries_not_accepted",
            "status",
            "id",
            sqlite_where=text("status <> 'accepted'"),
            postgresql_where=text("status <> 'accepted'"),
        ),
        Index(
            "ix_deliveries_source_id_not_accepted",
            "source_id",
            "status",
            "id",
            sqlite_where=text("status <> 'accepted'"),
            postgresql_where=text("status <> 'accepted'"),
        ),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    source_id: Mapped[str | None] = unchecked()
    kind: Mapped[str] = mapped_column(String(16))
    event_type: Mapped[str | None] = mapped_column(String(128))
    sender_id: Mapped[str | None] = mapped_column(String(256))
    subject: Mapped[str | None] = mapped_column(String(300))
    status: Mapped[str] = mapped_column(String(8))
    http_status: Mapped[int]
    code: Mapped[str] = mapped_column(String(32))
    reason: Mapped[str]
    duration_ms: Mapped[int]
    attempt: Mapped[int] = mapped_column(default=1)
    count: Mapped[int] = mapped_column(default=1)
    fold_key: Mapped[str | None] = mapped_column(String(96))
    bytes: Mapped[int] = mapped_column(BigInteger)
    body_sha256: Mapped[str] = mapped_column(String(64))
    remote_addr: Mapped[str] = mapped_column(String(64))
    trust: Mapped[str | None] = mapped_column(String(16))
    verified: Mapped[bool]
    headers: Mapped[dict[str, Any]]
    outcome: Mapped[dict[str, Any]]
    diagnosis: Mapped[str | None]
    replay_of: Mapped[str | None] = unchecked()
    received_at: Mapped[datetime]
    last_attempt_at: Mapped[datetime]


class DeliveryKey(Base):
    """A claim on a repeat key of one source. Whoever claims it first owns the outcome."""

    __tablename__ = "delivery_keys"

    source_id: Mapped[str] = unchecked(primary_key=True)
    key: Mapped[str] = mapped_column(String(300), primary_key=True)
    delivery_id: Mapped[str] = reference("deliveries.id", on_delete="CASCADE", index=True)
    expires_at: Mapped[datetime | None]


class DeliveryBody(Base):
    """The whole raw body of an authenticated delivery, zlib-compressed."""

    __tablename__ = "delivery_bodies"

    delivery_id: Mapped[str] = reference("deliveries.id", on_delete="CASCADE", primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)


class DeliveryHour(Base):
    """How many requests of a source were accepted, refused, failed in one hour that is over.

    What called an address nobody has is a row of no source (`""`).
    """

    __tablename__ = "delivery_hours"

    source_id: Mapped[str] = unchecked(primary_key=True)
    hour: Mapped[datetime] = mapped_column(primary_key=True)
    accepted: Mapped[int]
    refused: Mapped[int]
    failed: Mapped[int]
