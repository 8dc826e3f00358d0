"""The SQL of verdicts: reports are kept as they came, the newest of a commit and name counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import ColumnElement, exists, insert, select
from sqlalchemy.orm import Session, aliased

from switchboard.models import Verdict
from switchboard.threads.repo_store import newest_of


def insert_verdict(session: Session, row: Mapping[str, Any]) -> None:
    session.execute(insert(Verdict), [dict(row)])


def current(
    session: Session,
    repo_ids: Collection[str],
    *,
    commit: str | None,
    after: str | None,
    limit: int,
) -> list[Verdict]:
    """The newest verdict of each commit and name, newest first; `commit` is a prefix in lower case."""
    conditions = [~_superseded()]
    if commit is not None:
        # a range, which an index serves; no hexadecimal digit comes after f
        conditions += [Verdict.commit >= commit, Verdict.commit < commit + "g"]
    if after is not None:
        conditions.append(Verdict.id < after)
    newest = newest_of(Verdict, repo_ids, conditions, limit)
    return list(
        session.scalars(
            select(Verdict).where(Verdict.id.in_(newest)).order_by(Verdict.id.desc()).limit(limit)
        )
    )


def _superseded() -> ColumnElement[bool]:
    later = aliased(Verdict)
    return exists().where(
        later.repo_id == Verdict.repo_id,
        later.commit == Verdict.commit,
        later.name == Verdict.name,
        later.id > Verdict.id,
    )
