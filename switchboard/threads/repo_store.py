"""The SQL of repos, and of what is newest among all that is filed under them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import null, select, union_all
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from switchboard.models import Repo, Thread, Verdict
from switchboard.models.base import in_scope, table_of

MAX_BRANCHES = 50


def named(session: Session, key: str) -> Repo | None:
    """The repo of that folded name, whoever's it is."""
    return session.scalar(select(Repo).where(Repo.key == key))


def insert_unless_there(session: Session, row: Mapping[str, Any]) -> None:
    """Write the repo unless its key is taken; waits for another transaction that takes it just now."""
    # both databases speak this form of it, so one of their dialects' constructs serves
    statement = postgresql.insert(table_of(Repo)).on_conflict_do_nothing(index_elements=["key"])
    session.execute(statement, dict(row))


def in_view(session: Session, owner_ids: Collection[str] | None) -> list[Repo]:
    return list(session.scalars(select(Repo).where(in_scope(Repo, owner_ids)).order_by(Repo.key)))


def names(session: Session, repo_ids: Collection[str]) -> dict[str, str]:
    """Repo id → name."""
    rows = session.execute(select(Repo.id, Repo.name).where(Repo.id.in_(repo_ids)))
    return {repo_id: name for repo_id, name in rows}


def newest_of(
    model: type[Thread | Verdict],
    repo_ids: Collection[str],
    conditions: Collection[Any],
    limit: int,
) -> Any:
    """A statement of the newest ids filed under these repos that meet the conditions.

    Each repo's are read from the end of its own index, so that a quiet one among many is quick.
    """
    wheres = [model.repo_id == repo_id for repo_id in repo_ids]
    if len(wheres) > MAX_BRANCHES:
        wheres = [model.repo_id.in_(repo_ids)]
    branches = [
        select(model.id).where(where, *conditions).order_by(model.id.desc()).limit(limit).subquery()
        for where in wheres
    ]
    return union_all(*(select(each.c.id) for each in branches)) if branches else select(null())
