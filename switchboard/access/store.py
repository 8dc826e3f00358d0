"""The SQL of accounts, teams, tokens and endpoints."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from switchboard.models import Account, Endpoint, Membership, Name, Team, Token
from switchboard.models.base import in_scope


def count_accounts(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(Account)) or 0


def delete_nobody(session: Session) -> None:
    """A write that changes nothing, to learn whether writing works."""
    session.execute(delete(Account).where(Account.id == ""))


def name_taken(session: Session, name: str) -> bool:
    return session.get(Name, name.lower()) is not None


def add_name(session: Session, name: str) -> None:
    """Take a name. Raises IntegrityError when somebody has it."""
    session.add(Name(name=name.lower()))
    session.flush()


def account_named(session: Session, name: str) -> Account | None:
    return session.scalar(select(Account).where(func.lower(Account.name) == name.lower()))


def account_by_id(session: Session, account_id: str) -> Account | None:
    return session.get(Account, account_id)


def all_accounts(session: Session) -> list[Account]:
    return list(session.scalars(select(Account).order_by(Account.name)))


def team_named(session: Session, name: str) -> Team | None:
    return session.scalar(select(Team).where(func.lower(Team.name) == name.lower()))


def all_teams(session: Session) -> list[tuple[Team, list[tuple[str, str]]]]:
    """Every team with its (account name, role) pairs."""
    members: dict[str, list[tuple[str, str]]] = {}
    rows = session.execute(
        select(Membership.team_id, Account.name, Membership.role)
        .join(Account, Account.id == Membership.account_id)
        .order_by(Account.name)
    )
    for team_id, name, role in rows:
        members.setdefault(team_id, []).append((name, role))
    teams = session.scalars(select(Team).order_by(Team.name))
    return [(team, members.get(team.id, [])) for team in teams]


def roles_of(session: Session, account_id: str) -> dict[str, str]:
    """Team id → role of one account."""
    rows = session.execute(
        select(Membership.team_id, Membership.role).where(Membership.account_id == account_id)
    )
    return {team_id: role for team_id, role in rows}


def owner_names(session: Session, owner_ids: Collection[str]) -> dict[str, tuple[str, bool]]:
    """Owner id → (name, whether it is a team)."""
    accounts = session.execute(select(Account.id, Account.name).where(Account.id.in_(owner_ids)))
    teams = session.execute(select(Team.id, Team.name).where(Team.id.in_(owner_ids)))
    return {id_: (name, False) for id_, name in accounts} | {
        id_: (name, True) for id_, name in teams
    }


def account_of_token(session: Session, token_hash: str) -> Account | None:
    return session.scalar(
        select(Account)
        .join(Token, Token.account_id == Account.id)
        .where(Token.hash == token_hash, Token.revoked_at.is_(None))
    )


def endpoints_in(session: Session, owner_ids: Collection[str] | None) -> list[Endpoint]:
    statement = select(Endpoint).where(in_scope(Endpoint, owner_ids)).order_by(Endpoint.id)
    return list(session.scalars(statement))


def endpoints_called(
    session: Session, ref: str, owner_ids: Collection[str] | None
) -> list[Endpoint]:
    """The endpoints with that id, slug or, unless revoked, name within the scope."""
    statement = select(Endpoint).where(
        in_scope(Endpoint, owner_ids),
        (Endpoint.id == ref)
        | (Endpoint.slug == ref)
        | ((Endpoint.name == ref) & Endpoint.revoked_at.is_(None)),
    )
    return list(session.scalars(statement))


def endpoint_of_credential(
    session: Session, credential_hash: str
) -> tuple[Endpoint, Account | None] | None:
    """The endpoint with the account that vended it (None: the command line did)."""
    row = session.execute(
        select(Endpoint, Account)
        .outerjoin(Account, Account.id == Endpoint.vended_by_account_id)
        .where(Endpoint.credential_hash == credential_hash)
    ).first()
    return None if row is None else (row[0], row[1])


def endpoint_names(session: Session, endpoint_ids: Collection[str]) -> dict[str, str]:
    """Endpoint id → name."""
    rows = session.execute(select(Endpoint.id, Endpoint.name).where(Endpoint.id.in_(endpoint_ids)))
    return {endpoint_id: name for endpoint_id, name in rows}


def endpoint_of_slug(session: Session, slug: str) -> Endpoint | None:
    return session.scalar(select(Endpoint).where(Endpoint.slug == slug))


def endpoint_by_id(session: Session, endpoint_id: str) -> Endpoint | None:
    return session.get(Endpoint, endpoint_id)


def touch_endpoint(session: Session, endpoint_id: str, moment: datetime) -> None:
    session.execute(update(Endpoint).where(Endpoint.id == endpoint_id).values(last_seen_at=moment))
