"""The SQL of OAuth: clients, codes and the tokens made of them."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, delete, or_, select, update
from sqlalchemy.orm import Session, aliased

from switchboard.models import Account, Endpoint, EndpointToken, OAuthClient, OAuthCode
from switchboard.models.base import in_scope


def client(session: Session, client_id: str) -> OAuthClient | None:
    return session.get(OAuthClient, client_id)


def all_sealed(session: Session, *, lock: bool = False) -> list[OAuthClient]:
    """The clients that have a secret; held until the transaction ends with `lock`."""
    statement = select(OAuthClient).where(OAuthClient.secret_sealed.is_not(None))
    statement = statement.order_by(OAuthClient.id)
    return list(session.scalars(statement.with_for_update() if lock else statement))


def forget_unused(session: Session, before: datetime, most: int) -> None:
    """Of the clients nobody let in, delete those registered before that, and all but the newest `most`."""
    unused = OAuthClient.used_at.is_(None)
    newest = select(OAuthClient.id).where(unused).order_by(OAuthClient.created_at.desc())
    too_many = newest.offset(most)
    session.execute(
        delete(OAuthClient).where(
            unused, or_(OAuthClient.created_at < before, OAuthClient.id.in_(too_many))
        )
    )


def code(session: Session, code_hash: str) -> OAuthCode | None:
    return session.get(OAuthCode, code_hash)


def spend(session: Session, code_hash: str, now: datetime) -> bool:
    """Take the code; whether nobody had and it is still good."""
    taken = session.execute(
        update(OAuthCode)
        .where(
            OAuthCode.hash == code_hash, OAuthCode.spent_at.is_(None), OAuthCode.expires_at > now
        )
        .values(spent_at=now)
    )
    return bool(taken.rowcount)  # type: ignore[attr-defined]


def forget_codes(session: Session, before: datetime) -> None:
    """Delete the codes that ended before that."""
    session.execute(delete(OAuthCode).where(OAuthCode.expires_at < before))


def end_token_of_code(session: Session, code_hash: str, now: datetime) -> None:
    """Revoke what was made of a code."""
    _end(session, now, EndpointToken.code_hash == code_hash)


def end_token(session: Session, token_hash: str, now: datetime) -> None:
    """Revoke the token of that hash."""
    _end(session, now, EndpointToken.hash == token_hash)


def _end(session: Session, now: datetime, which: ColumnElement[bool]) -> None:
    session.execute(
        update(EndpointToken)
        .where(which, EndpointToken.revoked_at.is_(None))
        .values(revoked_at=now)
    )


def token(
    session: Session, token_hash: str
) -> tuple[EndpointToken, Endpoint, Account | None, Account] | None:
    """A token with its endpoint, who vended that (None: the command line), and who granted the token."""
    voucher, granter = aliased(Account), aliased(Account)
    row = session.execute(
        select(EndpointToken, Endpoint, voucher, granter)
        .join(Endpoint, Endpoint.id == EndpointToken.endpoint_id)
        .outerjoin(voucher, voucher.id == Endpoint.vended_by_account_id)
        .join(granter, granter.id == EndpointToken.granted_by_account_id)
        .where(EndpointToken.hash == token_hash)
    ).first()
    return None if row is None else (row[0], row[1], row[2], row[3])


def tokens_in(
    session: Session, owner_ids: Collection[str] | None, now: datetime
) -> list[EndpointToken]:
    """The live tokens of endpoints in scope, oldest first."""
    statement = (
        select(EndpointToken)
        .join(Endpoint, Endpoint.id == EndpointToken.endpoint_id)
        .where(in_scope(Endpoint, owner_ids), EndpointToken.revoked_at.is_(None))
        .where(or_(EndpointToken.expires_at.is_(None), EndpointToken.expires_at > now))
    )
    return list(session.scalars(statement.order_by(EndpointToken.id)))


def touch(session: Session, token_id: str, moment: datetime) -> None:
    session.execute(
        update(EndpointToken).where(EndpointToken.id == token_id).values(last_seen_at=moment)
    )
