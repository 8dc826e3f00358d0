"""The SQL of writing notices: whose sinks there are, and who reads them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import insert, or_, select
from sqlalchemy.orm import Session

from switchboard.models import Account, Membership, Notice, Sink
from switchboard.models.base import in_scope


def sinks_of(session: Session, owner_ids: Collection[str]) -> list[Sink]:
    """All sinks of these owners; those of whoever was shut out are silent."""
    statement = (
        select(Sink)
        .outerjoin(Account, Account.id == Sink.owner_account_id)
        .where(in_scope(Sink, owner_ids), Account.disabled_at.is_(None))
    )
    return list(session.scalars(statement.order_by(Sink.id)))


def accounts_seeing(session: Session, owner_id: str, account_ids: Collection[str]) -> set[str]:
    """Which of these accounts may see that owner's things: it is they, or a team of theirs."""
    theirs = select(Membership.account_id).where(
        Membership.team_id == owner_id, Membership.account_id.in_(account_ids)
    )
    return set(session.scalars(theirs)) | ({owner_id} & set(account_ids))


def people_of(session: Session, sink: Sink) -> list[Account]:
    """The accounts a sink stands for: its owner, or everybody in its team, but nobody shut out."""
    members = select(Membership.account_id).where(Membership.team_id == sink.owner_team_id)
    statement = select(Account).where(
        Account.disabled_at.is_(None),
        or_(Account.id == sink.owner_account_id, Account.id.in_(members)),
    )
    return list(session.scalars(statement.order_by(Account.id)))


def insert_notice(session: Session, row: Mapping[str, Any]) -> None:
    session.execute(insert(Notice), [dict(row)])
