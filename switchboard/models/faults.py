"""Faults: conditions an operator must see, raised once and cleared once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner, reference

_STANDING = text("cleared_at IS NULL")
_UNTOLD = text("told_at IS NULL")


class Fault(Owned, Base):
    """One condition of one thing.

    While it stands (`cleared_at` is null) no second one of its code is raised about the same thing.
    `told_at` is when its notices were written; a sweep writes those of one raised on the short way.
    """

    __tablename__ = "faults"
    __table_args__ = (
        exactly_one_owner(),
        Index(
            "uq_faults_standing",
            "code",
            "about_id",
            unique=True,
            sqlite_where=_STANDING,
            postgresql_where=_STANDING,
        ),
        Index("ix_faults_about_id", "about_id"),
        Index("ix_faults_untold", "id", sqlite_where=_UNTOLD, postgresql_where=_UNTOLD),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    code: Mapped[str] = mapped_column(String(32))
    about_id: Mapped[str] = mapped_column(String(ID_LENGTH))
    about: Mapped[str] = mapped_column(String(100))
    detail: Mapped[str]
    raised_at: Mapped[datetime]
    cleared_at: Mapped[datetime | None]
    cleared_by_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    told_at: Mapped[datetime | None]
