"""OAuth: programs that asked to work as an endpoint, and the tokens that a human let them have."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, reference


class OAuthClient(Base):
    """A program that registered itself (RFC 7591). `details` is what it said, but for its secret.

    `used_at` is when a human first let it have a token; one that never got there is forgotten.
    """

    __tablename__ = "oauth_clients"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    details: Mapped[dict[str, Any]]
    secret_sealed: Mapped[str | None]
    created_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class OAuthCode(Base):
    """An authorization code by its hash: good once, for a minute, for the program it was made for."""

    __tablename__ = "oauth_codes"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    client_id: Mapped[str] = mapped_column(String(64))
    endpoint_id: Mapped[str] = reference("endpoints.id", on_delete="CASCADE")
    verbs: Mapped[list[str]]
    redirect_uri: Mapped[str]
    redirect_uri_given: Mapped[bool]
    challenge: Mapped[str] = mapped_column(String(128))
    resource: Mapped[str | None]
    granted_by_account_id: Mapped[str] = reference("accounts.id", on_delete="CASCADE")
    token_expires_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]
    spent_at: Mapped[datetime | None]


class EndpointToken(Base):
    """A second credential of an endpoint, stored hashed, for one program and no more verbs than granted."""

    __tablename__ = "endpoint_tokens"

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    endpoint_id: Mapped[str] = reference("endpoints.id", on_delete="CASCADE", index=True)
    hash: Mapped[str] = mapped_column(String(64), unique=True)
    code_hash: Mapped[str] = mapped_column(String(64), unique=True)
    client_id: Mapped[str] = mapped_column(String(64))
    client_name: Mapped[str] = mapped_column(String(100))
    verbs: Mapped[list[str]]
    granted_by_account_id: Mapped[str] = reference("accounts.id", on_delete="CASCADE")
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_seen_at: Mapped[datetime | None]
