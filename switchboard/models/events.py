"""The event log: what was done, by whom, to what."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, unchecked

_REFERS = text("ref IS NOT NULL")
_NO_CALL = text("type <> 'api.request'")


class Event(Base):
    """One line, never changed. Without an owner it is about the installation; `ref` is its work item.

    Nothing it names is checked by the database: a line outlives what it is about.
    """

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_owner_id", "owner_id", "id"),
        Index("ix_events_about_id", "about_id", "id"),
        Index("ix_events_type", "type", "id"),
        # calls of the API are most of the lines, and no reader of the rest should walk over them
        Index("ix_events_no_calls", "id", sqlite_where=_NO_CALL, postgresql_where=_NO_CALL),
        Index(
            "ix_events_owner_no_calls",
            "owner_id",
            "id",
            sqlite_where=_NO_CALL,
            postgresql_where=_NO_CALL,
        ),
        Index("ix_events_ref_id", "ref", "id", sqlite_where=_REFERS, postgresql_where=_REFERS),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    type: Mapped[str] = mapped_column(String(48))
    at: Mapped[datetime]
    owner_id: Mapped[str | None] = unchecked()
    actor: Mapped[str] = mapped_column(String(100))
    actor_id: Mapped[str | None] = unchecked()
    about_id: Mapped[str | None] = unchecked()
    about: Mapped[str] = mapped_column(String(100))
    ref: Mapped[str | None] = mapped_column(String(400))
    data: Mapped[dict[str, Any]]
