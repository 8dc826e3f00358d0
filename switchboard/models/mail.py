"""Mail that came in: kept whole until it is read, and the mails that say why one could not be used."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, LargeBinary, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, reference

_WAITING = text("processed_at IS NULL")
_PENDING = text("state = 'pending'")


class MailMessage(Base):
    """One answer that arrived, to be read by a worker: whose it is, and in which place.

    `raw` is the compressed mail (`form` is `mime`) or the words a notify service took out of one (`text`),
    until it is processed; `excerpt` what is left of it then where no comment keeps it. `attempts` counts
    the workers that took it up.
    """

    __tablename__ = "mail_messages"
    __table_args__ = (
        CheckConstraint("form IN ('mime', 'text')", name="form"),
        UniqueConstraint("delivery_id"),
        Index("ix_mail_messages_waiting", "id", sqlite_where=_WAITING, postgresql_where=_WAITING),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    delivery_id: Mapped[str] = reference("deliveries.id", on_delete="CASCADE")
    account_id: Mapped[str] = reference("accounts.id", on_delete="CASCADE")
    place_id: Mapped[str] = mapped_column(String(ID_LENGTH))
    form: Mapped[str] = mapped_column(String(4))
    raw: Mapped[bytes | None] = mapped_column(LargeBinary)
    excerpt: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    processed_at: Mapped[datetime | None]


class MailBounce(Base):
    """A mail that tells an account why its answer could not be used: at most one for each UTC `day`."""

    __tablename__ = "mail_bounces"
    __table_args__ = (
        CheckConstraint("state IN ('pending', 'sent', 'failed', 'unknown')", name="state"),
        UniqueConstraint("account_id", "day"),
        Index("ix_mail_bounces_pending", "id", sqlite_where=_PENDING, postgresql_where=_PENDING),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    account_id: Mapped[str] = reference("accounts.id", on_delete="CASCADE")
    day: Mapped[str] = mapped_column(String(10))
    code: Mapped[str] = mapped_column(String(32))
    reason: Mapped[str]
    path: Mapped[str] = mapped_column(String(1024))
    state: Mapped[str] = mapped_column(String(8))
    claimed_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
