"""Sources: who may write in, their sealed secrets, and where their work goes."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner, reference, unchecked

_NOT_REVOKED = text("state <> 'revoked'")


class Source(Owned, Base):
    """One integration. The URL token is found by its hash and kept sealed to be shown again.

    `repo_id` is where a `signed` source files what it brings. `rules` are jq rules in their order.
    `failures` counts authenticated deliveries in a row that were refused; enough of them pause the
    source (`paused_by` is then `failures`, else `human`), and `probe_at` is when one is let through.
    `made_by_endpoint_id` names the endpoint whose agent made it and may manage it. `transport` is the way
    that mail comes by, for one of the built-in sources of kind `email`: there is one for each.
    """

    __tablename__ = "sources"
    __table_args__ = (
        exactly_one_owner(),
        CheckConstraint("state IN ('active', 'paused', 'revoked')", name="state"),
        Index(
            "uq_sources_owner_name",
            text("coalesce(owner_account_id, owner_team_id)"),
            "name",
            unique=True,
            sqlite_where=_NOT_REVOKED,
            postgresql_where=_NOT_REVOKED,
        ),
        Index("uq_sources_transport", "transport", unique=True),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(64))
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    token_sealed: Mapped[str]
    letters: Mapped[str] = mapped_column(String(16))
    state: Mapped[str] = mapped_column(String(8))
    host: Mapped[str] = mapped_column(String(255))
    repo_globs: Mapped[list[str]]
    secret_known_to_agent: Mapped[bool]
    repo_id: Mapped[str | None] = unchecked()
    rules: Mapped[list[dict[str, Any]]] = mapped_column(server_default="[]")
    red_opens_todo: Mapped[bool] = mapped_column(server_default="0")
    failures: Mapped[int] = mapped_column(server_default="0")
    paused_by: Mapped[str | None] = mapped_column(String(8))
    probe_at: Mapped[datetime | None]
    created_by_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    made_by_endpoint_id: Mapped[str | None] = unchecked()
    transport: Mapped[str | None] = mapped_column(String(16))
    created_at: Mapped[datetime]


class SourceSecret(Base):
    """A signing secret, sealed. One without `expires_at` is current, others are being rotated out."""

    __tablename__ = "source_secrets"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    source_id: Mapped[str] = reference("sources.id", on_delete="CASCADE", index=True)
    sealed: Mapped[str]
    fingerprint: Mapped[str] = mapped_column(String(12))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]


class SourceRoute(Base):
    """One target of a source: an endpoint and a queue of it."""

    __tablename__ = "source_routes"

    source_id: Mapped[str] = reference("sources.id", on_delete="CASCADE", primary_key=True)
    endpoint_id: Mapped[str] = reference("endpoints.id", on_delete="CASCADE", primary_key=True)
    queue: Mapped[str] = mapped_column(String(64), primary_key=True)
