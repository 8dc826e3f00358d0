"""Repos: labels that an owner takes by using them first."""

from __future__ import annotations

import re
from collections.abc import Collection

from sqlalchemy.orm import Session

from switchboard.access.principals import Operator, Owner
from switchboard.errors import Conflict, Invalid, NotFound
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Repo
from switchboard.threads import repo_store

NAME = re.compile(r"[A-Za-z0-9._-]{1,100}(/[A-Za-z0-9._-]{1,100})?", re.ASCII)


def check_name(name: str) -> str:
    """`name` if it is a label such as `rocket` or `acme/rocket`. Raises Invalid."""
    if not NAME.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise Invalid(
            "A repo is named like rocket or acme/rocket: letters, digits, dots, dashes and "
            "underscores, up to 100 on each side of the slash.",
            field="repo",
        )
    return name


def claim(session: Session, operator: Operator, owner: Owner, name: str) -> Repo:
    """The owner's repo of that name, made on its first use by somebody who may configure the owner.

    Names are unique on the instance whatever their case; the first writing of one stays.
    Raises Invalid, Conflict (field `repo`) where another owner has it, Forbidden.
    """
    key = check_name(name).lower()
    repo = repo_store.named(session, key)
    if repo is None:
        operator.may_configure(owner.id)
        row = {"id": ids.new("repo"), "name": name, "key": key, "last_number": 0}
        row |= {"created_at": clock.now(), **owner.columns}
        repo_store.insert_unless_there(session, row)
        repo = repo_store.named(session, key)
        assert repo is not None
    if repo.owner_id != owner.id:
        raise Conflict(f"The repo {name} belongs to another owner.", field="repo")
    return repo


def seen(session: Session, operator: Operator, name: str) -> Repo | None:
    """The repo of that name in the operator's view, or None."""
    repo = repo_store.named(session, name.lower()) if NAME.fullmatch(name) else None
    visible = operator.visible
    return repo if repo and (visible is None or repo.owner_id in visible) else None


def find(session: Session, operator: Operator, name: str) -> Repo:
    """The repo of that name in the operator's view. Raises NotFound."""
    repo = seen(session, operator, name)
    if repo is None:
        raise NotFound("There is no such repo.", field="repo")
    return repo


def ids_meant(session: Session, operator: Operator, name: str | None) -> list[str]:
    """The id of the repo of that name, or without one of all in view. Raises NotFound."""
    if name is not None:
        return [find(session, operator, name).id]
    return [repo.id for repo in repo_store.in_view(session, operator.visible)]


def in_view(lib: Plumbing, operator: Operator) -> list[str]:
    """The names of all repos in the operator's view, in their order."""
    with lib.db.read() as session:
        return [repo.name for repo in repo_store.in_view(session, operator.visible)]


def names(session: Session, repo_ids: Collection[str]) -> dict[str, str]:
    """Repo id → label."""
    return repo_store.names(session, repo_ids)
