"""The SQL of mail tokens."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from switchboard.models import Account, MailToken


def with_account(session: Session, token_hash: str) -> tuple[MailToken, Account] | None:
    """The token of that hash and the account it stands for."""
    row = session.execute(
        select(MailToken, Account)
        .join(Account, Account.id == MailToken.account_id)
        .where(MailToken.hash == token_hash)
    ).first()
    return None if row is None else (row[0], row[1])


def has_good(session: Session, account_id: str, place_id: str, now: datetime) -> bool:
    """Whether there is one of that account and place which neither ran out nor was revoked."""
    statement = select(MailToken.hash).where(
        MailToken.account_id == account_id,
        MailToken.place_id == place_id,
        MailToken.revoked_at.is_(None),
        MailToken.expires_at > now,
    )
    return session.scalar(statement.limit(1)) is not None


def revoke(session: Session, account_id: str, place_id: str | None, now: datetime) -> int:
    """Mark those not marked yet as revoked."""
    statement = update(MailToken).where(
        MailToken.account_id == account_id, MailToken.revoked_at.is_(None)
    )
    if place_id is not None:
        statement = statement.where(MailToken.place_id == place_id)
    return int(session.connection().execute(statement.values(revoked_at=now)).rowcount)


def expired_before(session: Session, before: datetime, most: int) -> list[str]:
    """The hashes of up to `most` tokens that were over before that."""
    statement = select(MailToken.hash).where(MailToken.expires_at < before)
    return list(session.scalars(statement.order_by(MailToken.expires_at).limit(most)))


def delete_these(session: Session, hashes: Collection[str]) -> None:
    """Forget the tokens of those hashes."""
    session.execute(delete(MailToken).where(MailToken.hash.in_(hashes)))
