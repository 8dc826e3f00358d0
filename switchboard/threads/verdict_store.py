"""The SQL of verdicts: reports are kept as they came, the newest of a commit and name counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.orm import Session, aliased

from switchboard.models import Verdict
from switchboard.models.base import in_scope


def insert_verdict(session: Session, row: Mapping[str, Any]) -> None:
    session.execute(insert(Verdict), [dict(row)])


def current(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    repo_id: str | None,
    commit: str | None,
    after: str | None,
    limit: int,
) -> list[Verdict]:
    """The newest verdict of each commit and name, newest first; `commit` is a prefix in lower case."""
    later = aliased(Verdict)
    superseded = select(later.id).where(
        later.repo_id == Verdict.repo_id,
        later.commit == Verdict.commit,
        later.name == Verdict.name,
        later.id > Verdict.id,
    )
    statement = select(Verdict).where(in_scope(Verdict, owner_ids), ~superseded.exists())
    if repo_id is not None:
        statement = statement.where(Verdict.repo_id == repo_id)
    if commit is not None:
        # a range, which an index serves; no hexadecimal digit comes after f
        statement = statement.where(Verdict.commit >= commit, Verdict.commit < commit + "g")
    if after is not None:
        statement = statement.where(Verdict.id < after)
    return list(session.scalars(statement.order_by(Verdict.id.desc()).limit(limit)))
