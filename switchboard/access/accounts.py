"""Accounts and teams: the first one through the setup link, the others by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from werkzeug.security import generate_password_hash

from switchboard.access import languages, letters, store
from switchboard.access.owners import check_name
from switchboard.access.principals import CONFIGURING_ROLES
from switchboard.errors import Conflict, Forbidden, Invalid, NotFound
from switchboard.lib import clock, crypto, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Account, Membership, Team, Token

RESERVED = "me"  # how an operator names himself
MIN_PASSWORD = 10
MAX_PASSWORD = 1024
TOKEN_PREFIX = "sbp_"  # noqa: S105  (what every token begins with, not one)
ROLES = (*CONFIGURING_ROLES, "member")


@dataclass(frozen=True)
class NewAccount:
    """What creating an account needs. Without a password it can only use tokens."""

    name: str
    email: str
    password: str | None = None
    is_admin: bool = False
    letters: str | None = None


def exist(lib: Plumbing) -> bool:
    """Whether anybody has an account yet."""
    with lib.db.read() as session:
        return store.count_accounts(session) > 0


def try_write(lib: Plumbing) -> None:
    """Raise Unavailable when the database cannot be written; nothing changes."""
    with lib.db.write() as session:
        store.delete_nobody(session)


def create(lib: Plumbing, new: NewAccount) -> dict[str, Any]:
    """Make an account. Raises Invalid for bad input, Conflict for a taken name."""
    prepared = _prepare(new, is_admin=new.is_admin)
    with lib.db.write() as session:
        # the first account runs the instance, whoever makes it
        if store.count_accounts(session) == 0:
            prepared = _prepare(new, is_admin=True)
        return _insert(session, prepared)


def create_first(lib: Plumbing, new: NewAccount) -> dict[str, Any]:
    """Make the first account, an admin. Raises Forbidden `setup_closed` when there is one."""
    prepared = _prepare(new, is_admin=True)
    with lib.db.write() as session:
        if store.count_accounts(session) > 0:
            raise _setup_closed()
        try:
            # nobody else can have this name, so of two who race through setup one fails here
            store.add_name(session, RESERVED)
        except IntegrityError:
            raise _setup_closed() from None
        return _insert(session, prepared)


def _setup_closed() -> Forbidden:
    return Forbidden("Setup is closed: an account exists. Sign in instead.", "setup_closed")


def require_none(lib: Plumbing) -> None:
    """Raise Forbidden `setup_closed` once anybody has an account."""
    if exist(lib):
        raise _setup_closed()


def _prepare(new: NewAccount, *, is_admin: bool) -> Account:
    default = letters.ADMIN_LETTERS if is_admin else letters.ACCOUNT_LETTERS
    return Account(
        id=ids.new("account"),
        name=check_name(new.name),
        email=_check_email(new.email),
        password_hash=None if new.password is None else hash_password(new.password),
        letters=default if new.letters is None else letters.parse(new.letters),
        is_admin=is_admin,
        created_at=clock.now(),
    )


def _insert(session: Session, account: Account) -> dict[str, Any]:
    _take_name(session, account.name)
    session.add(account)
    session.flush()
    return describe(account)


def _take_name(session: Session, name: str) -> None:
    taken = Conflict(f"The name {name} is taken.", field="name")
    if name.lower() == RESERVED or store.name_taken(session, name):
        raise taken
    try:
        store.add_name(session, name)
    except IntegrityError:  # somebody took it meanwhile
        raise taken from None


def hash_password(password: str) -> str:
    """Scrypt, salted. Raises Invalid for one too short or absurdly long."""
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise Invalid(f"Use a password of at least {MIN_PASSWORD} characters.", field="password")
    return generate_password_hash(password)


def _check_email(email: str) -> str:
    local, _, domain = email.strip().rpartition("@")
    fine = local and "." in domain.strip(".") and len(email) <= 254 and email.isprintable()
    if not fine or " " in email.strip():
        raise Invalid("Give an e-mail address, such as ana@example.org.", field="email")
    return email.strip()


def describe(account: Account) -> dict[str, Any]:
    """The account as JSON."""
    return {
        "id": account.id,
        "name": account.name,
        "email": account.email,
        "letters": account.letters,
        "admin": account.is_admin,
        "language": account.language or languages.ENGLISH,
        "disabled": account.disabled_at is not None,
    }


def everyone(lib: Plumbing) -> list[dict[str, Any]]:
    """All accounts, by name."""
    with lib.db.read() as session:
        return [describe(account) for account in store.all_accounts(session)]


def disable(lib: Plumbing, name: str) -> dict[str, Any]:
    """Shut an account out: sessions, tokens and what it vended stop working."""
    with lib.db.write() as session:
        account = _named(session, name)
        account.disabled_at = clock.now()
        account.session_epoch += 1
        return describe(account)


def set_letters(lib: Plumbing, name: str, given: str) -> dict[str, Any]:
    """Replace an account's letters."""
    parsed = letters.parse(given)
    with lib.db.write() as session:
        account = _named(session, name)
        account.letters = parsed
        return describe(account)


def set_language(lib: Plumbing, name: str, code: str) -> dict[str, Any]:
    """Choose the language of the line above which the account replies. Raises Invalid, NotFound."""
    checked = languages.check(code)
    with lib.db.write() as session:
        account = _named(session, name)
        account.language = checked
        return describe(account)


def language_of(lib: Plumbing, name: str) -> str:
    """The code of the language that the account chose. Raises NotFound."""
    with lib.db.read() as session:
        return _named(session, name).language or languages.ENGLISH


def mint_token(lib: Plumbing, name: str) -> str:
    """A fresh operator token of the account, returned once and stored hashed."""
    token = crypto.new_credential(TOKEN_PREFIX)
    with lib.db.write() as session:
        account = _named(session, name)
        row = Token(
            id=ids.new("token"),
            account_id=account.id,
            hash=crypto.token_hash(token),
            created_at=clock.now(),
        )
        session.add(row)
    return token


def _named(session: Session, name: str) -> Account:
    account = store.account_named(session, name)
    if account is None:
        raise NotFound(f"There is no account {name}.")
    return account


def create_team(lib: Plumbing, name: str) -> dict[str, Any]:
    """Make an empty team. Raises Conflict for a taken name."""
    team = Team(id=ids.new("team"), name=check_name(name), created_at=clock.now())
    with lib.db.write() as session:
        _take_name(session, team.name)
        session.add(team)
        session.flush()
        return {"id": team.id, "name": team.name, "members": []}


def add_member(lib: Plumbing, team_name: str, account_name: str, role: str) -> dict[str, Any]:
    """Put an account into a team, or change its role there."""
    if role not in ROLES:
        raise Invalid(f"A role is one of {', '.join(ROLES)}.", field="role")
    with lib.db.write() as session:
        account = _named(session, account_name)
        team = store.team_named(session, team_name)
        if team is None:
            raise NotFound(f"There is no team {team_name}.")
        session.merge(Membership(team_id=team.id, account_id=account.id, role=role))
        return {"team": team.name, "account": account.name, "role": role}


def teams(lib: Plumbing) -> list[dict[str, Any]]:
    """All teams with their members."""
    with lib.db.read() as session:
        return [
            {
                "id": team.id,
                "name": team.name,
                "members": [{"account": name, "role": role} for name, role in members],
            }
            for team, members in store.all_teams(session)
        ]
