"""Naming owners: `{"account": "ana"}`, `{"account": "me"}`, `{"team": "core"}`, or a bare name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Protocol, TypeVar

from sqlalchemy.orm import Session

from switchboard.access import store
from switchboard.access.principals import Operator, Owner
from switchboard.errors import Conflict, Invalid, NotFound
from switchboard.lib.plumbing import Plumbing

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


class Named(Protocol):
    """Whatever has an id and an owner's name for it."""

    id: Any


Row = TypeVar("Row", bound=Named)


def check_name(name: str, field: str = "name") -> str:
    """`name` if it is 1 to 64 characters of `[A-Za-z0-9._-]`, not starting with a sign."""
    if not NAME.fullmatch(name):
        raise Invalid(
            "Use 1 to 64 letters, digits, dots, dashes or underscores, starting with a letter "
            "or digit.",
            field=field,
        )
    return name


def resolve(session: Session, operator: Operator, given: Mapping[str, Any] | str | None) -> Owner:
    """The owner meant, which the operator may configure.

    As `named`, and raises Forbidden for one that may only be looked at.
    """
    owner = named(session, operator, given)
    operator.may_configure(owner.id)
    return owner


def named(session: Session, operator: Operator, given: Mapping[str, Any] | str | None) -> Owner:
    """The owner meant, in the operator's view.

    `given` is the JSON form or a bare name; None means the operator. Raises NotFound for an owner
    that is not there or not visible, Invalid.
    """
    kind, name = _kind_and_name(given)
    if name in (None, "me") and kind != "team":
        if not operator.account_id:
            raise Invalid("Say who owns it, by the name of an account or team.", field="owner")
        return Owner(operator.account_id, operator.name, False)
    owner = _find(session, kind, str(name))
    if owner is None or (operator.visible is not None and owner.id not in operator.visible):
        raise NotFound("There is no such owner.", field="owner")
    return owner


def the_only(session: Session) -> Owner | None:
    """The owner, where the whole instance has but one; None where there are several or none."""
    accounts, teams = store.all_accounts(session), store.all_teams(session)
    return (
        Owner(accounts[0].id, accounts[0].name, False) if len(accounts) == 1 and not teams else None
    )


def by_id(session: Session, owner_id: str) -> Owner:
    """The account or team of that id, which is there."""
    name, is_team = store.owner_names(session, {owner_id})[owner_id]
    return Owner(owner_id, name, is_team)


def _kind_and_name(given: Mapping[str, Any] | str | None) -> tuple[str | None, str | None]:
    if given is None or isinstance(given, str):
        return None, given or None
    pairs = [(kind, given[kind]) for kind in ("account", "team") if kind in given]
    if len(pairs) != 1 or len(given) != 1 or not isinstance(pairs[0][1], str):
        raise Invalid('Give the owner as {"account": name} or {"team": name}.', field="owner")
    return pairs[0]


def _find(session: Session, kind: str | None, name: str) -> Owner | None:
    if not NAME.fullmatch(name):
        return None
    if kind != "team" and (account := store.account_named(session, name)):
        return Owner(account.id, account.name, False)
    if kind != "account" and (team := store.team_named(session, name)):
        return Owner(team.id, team.name, True)
    return None


def the_one(rows: Collection[Row], ref: str, noun: str) -> Row:
    """Which of the rows that go by `ref` is meant: the one with that id, else the only one.

    Raises NotFound for none, Conflict where two owners use the name: a guess could hit the wrong one.
    """
    if not rows:
        raise NotFound(f"There is no such {noun}.")
    by_id = [row for row in rows if row.id == ref]
    if not by_id and len(rows) > 1:
        raise Conflict(f"Several owners have such a {noun}; name it by its id.")
    return (by_id or list(rows))[0]


def label_of(session: Session, owner_id: str) -> dict[str, str] | None:
    """The JSON form of one owner, for showing."""
    return _labels(store.owner_names(session, {owner_id})).get(owner_id)


def labels(lib: Plumbing, owner_ids: Collection[str]) -> dict[str, dict[str, str]]:
    """Owner id → JSON form, for showing."""
    with lib.db.read() as session:
        return labels_of(session, owner_ids)


def labels_of(session: Session, owner_ids: Collection[str]) -> dict[str, dict[str, str]]:
    """The same in the caller's session."""
    return _labels(store.owner_names(session, set(owner_ids)))


def _labels(names: Mapping[str, tuple[str, bool]]) -> dict[str, dict[str, str]]:
    return {
        owner_id: {"team" if is_team else "account": name}
        for owner_id, (name, is_team) in names.items()
    }
