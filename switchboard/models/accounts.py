"""People: accounts, teams, memberships, operator tokens, and the one namespace of their names."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, String
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, reference


class Name(Base):
    """A taken name: accounts and teams share one namespace, folded to lower case."""

    __tablename__ = "names"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)


class Account(Base):
    """A human who can sign in. `session_epoch` grows to end all of the account's sessions.

    `language` is that of the line above which one replies to a mail (None: English).
    """

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    email: Mapped[str] = mapped_column(String(254))
    password_hash: Mapped[str | None]
    letters: Mapped[str] = mapped_column(String(16))
    is_admin: Mapped[bool]
    language: Mapped[str | None] = mapped_column(String(8))
    session_epoch: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    disabled_at: Mapped[datetime | None]


class Team(Base):
    """Several accounts who own things together."""

    __tablename__ = "teams"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]


class Membership(Base):
    """An account's role in a team: owners and admins configure, members look."""

    __tablename__ = "memberships"
    __table_args__ = (CheckConstraint("role IN ('owner', 'admin', 'member')", name="role"),)

    team_id: Mapped[str] = reference("teams.id", on_delete="CASCADE", primary_key=True)
    account_id: Mapped[str] = reference(
        "accounts.id", on_delete="CASCADE", primary_key=True, index=True
    )
    role: Mapped[str] = mapped_column(String(8))


class Token(Base):
    """An operator token `sbp_…`, stored hashed."""

    __tablename__ = "tokens"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    account_id: Mapped[str] = reference("accounts.id", on_delete="CASCADE", index=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
