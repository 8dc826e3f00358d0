"""The SQL of mail tokens."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import bindparam, delete, func, select, update
from sqlalchemy.orm import Session

from switchboard.lib.express import Prepared, Write
from switchboard.models import Account, MailToken
from switchboard.models.base import table_of

_TOKENS = table_of(MailToken)
_USE = Prepared(
    update(_TOKENS).where(_TOKENS.c.hash == bindparam("token_hash")).values(used_at=bindparam("at"))
)


def use_write(token_hash: str, at: datetime) -> Write:
    """An answer with it was taken."""
    return Write(_USE, {"token_hash": token_hash, "at": at})


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


def good_by_place(
    session: Session, account_id: str, now: datetime, before: str | None, most: int
) -> list[tuple[str, int, str, datetime, datetime, datetime | None]]:
    """The account's good ones, a row for each place, that of the newest mail first.

    (place's id, how many, newest message's id, newest `created_at`, latest `expires_at`, latest `used_at`);
    with `before` only the places whose newest message has a lower id.
    """
    newest = func.max(MailToken.message_id)
    statement = (
        select(
            MailToken.place_id,
            func.count(),
            newest,
            func.max(MailToken.created_at),
            func.max(MailToken.expires_at),
            func.max(MailToken.used_at),
        )
        .where(
            MailToken.account_id == account_id,
            MailToken.revoked_at.is_(None),
            MailToken.expires_at > now,
        )
        .group_by(MailToken.place_id)
        .order_by(newest.desc())
        .limit(most)
    )
    if before is not None:
        statement = statement.having(newest < before)
    return [(row[0], row[1], row[2], row[3], row[4], row[5]) for row in session.execute(statement)]


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
