"""The SQL of repos."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from switchboard.models import Repo
from switchboard.models.base import in_scope, table_of


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
