"""Outbound connections: the vault's rows. The secret column holds only the sealed form."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner, reference


class Connection(Owned, Base):
    """One outbound credential of one owner.

    `account_key` is as given, `match_key` its compared form (a forge's host and port).
    `closed_until` is set when the provider told us to slow down. `replies_per_todo` is how many answers
    a todo takes through it, None the installation's number. `targets_by_agent` says that an agent wrote the
    targets and no human has since. `bot_id` is the id under which its posts come
    back as events, as the last good test found it.
    """

    __tablename__ = "outbound_connections"
    __table_args__ = (
        exactly_one_owner(),
        Index(
            "uq_outbound_connections_account",
            text("coalesce(owner_account_id, owner_team_id)"),
            "kind",
            "match_key",
            unique=True,
        ),
        Index(
            "uq_outbound_connections_owner_name",
            text("coalesce(owner_account_id, owner_team_id)"),
            "name",
            unique=True,
        ),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    name: Mapped[str] = mapped_column(String(64))
    account_key: Mapped[str] = mapped_column(String(255))
    match_key: Mapped[str] = mapped_column(String(255))
    secret: Mapped[str]
    secret_fingerprint: Mapped[str] = mapped_column(String(12))
    targets: Mapped[list[str]]
    targets_by_agent: Mapped[bool] = mapped_column(server_default="0")
    endpoints: Mapped[list[str]]
    signature: Mapped[str | None] = mapped_column(String(200))
    replies_per_todo: Mapped[int | None]
    created_by_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    created_at: Mapped[datetime]
    rotated_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    last_test: Mapped[dict[str, Any] | None]
    bot_id: Mapped[str | None] = mapped_column(String(64))
    closed_until: Mapped[datetime | None]
