"""Verdicts as others see them: what counts of what CI said of a commit, by repo and by commit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access.principals import Operator
from switchboard.errors import Invalid
from switchboard.lib import clock
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Verdict
from switchboard.threads import repo_store, repos, verdict_store
from switchboard.threads.people import Names

_PREFIX = re.compile(r"[0-9a-f]{4,64}", re.ASCII)


@dataclass(frozen=True)
class Page:
    """Verdicts, newest first, and the `after` of the next page (None: there is none)."""

    verdicts: list[dict[str, Any]]
    next: str | None


def search(
    lib: Plumbing,
    operator: Operator,
    *,
    repo: str | None = None,
    commit: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The newest verdict of each commit and name in view; `commit` is how one begins.

    Raises NotFound for a repo out of view, Invalid for a commit that is none.
    """
    prefix = commit.lower() if commit is not None else None
    if prefix is not None and not _PREFIX.fullmatch(prefix):
        raise Invalid("A commit is named by 4 to 64 hexadecimal digits.", field="commit")
    size = max(1, min(limit, MAX_LIMIT))
    with lib.db.read() as session:
        found = verdict_store.current(
            session,
            repos.ids_meant(session, operator, repo),
            commit=prefix,
            after=after,
            limit=size + 1,
        )
        shown = _describe(session, found[:size])
    return Page(shown, shown[-1]["id"] if len(found) > size else None)


def _describe(session: Session, rows: list[Verdict]) -> list[dict[str, Any]]:
    repo_names = repo_store.names(session, {row.repo_id for row in rows})
    names = Names(session, rows)
    return [
        {
            "id": row.id,
            "repo": repo_names.get(row.repo_id),
            "commit": row.commit,
            "name": row.name,
            "state": row.state,
            "url": row.url,
            "summary": row.summary,
            "source": names.source(row),
            "delivery": names.delivery(row),
            "created_at": clock.iso(row.created_at),
        }
        for row in rows
    ]
