"""Endpoints: what a human vends to an agent."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Index, String, and_, or_, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner, reference

_NOT_REVOKED = text("revoked_at IS NULL")


class Endpoint(Owned, Base):
    """A grant: slug, hashed credential, verb families, queues, expiry, and who vended it.

    `ceiling` is what the webhook verbs may make (`{webhooks, kinds, queues}`), None without them.
    """

    __tablename__ = "endpoints"
    __table_args__ = (
        exactly_one_owner(),
        Index(
            "uq_endpoints_owner_name",
            text("coalesce(owner_account_id, owner_team_id)"),
            "name",
            unique=True,
            sqlite_where=_NOT_REVOKED,
            postgresql_where=_NOT_REVOKED,
        ),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    slug: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str] = mapped_column(String(64))
    credential_hash: Mapped[str] = mapped_column(String(64), unique=True)
    verbs: Mapped[list[str]]
    queues: Mapped[list[str]]
    ceiling: Mapped[dict[str, Any] | None]
    vended_by_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_seen_at: Mapped[datetime | None]


def live_endpoint(now: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
    """The condition of an endpoint that takes work: neither revoked nor expired at `now`."""
    unexpired = or_(Endpoint.expires_at.is_(None), Endpoint.expires_at > now)
    return and_(Endpoint.revoked_at.is_(None), unexpired)
