"""The SQL of threads: numbers, rows, who they are by, and the conditional changes of their state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from switchboard.models import Comment, Endpoint, Repo, Thread, Todo
from switchboard.models.base import in_scope
from switchboard.threads.repo_store import newest_of

UNADOPTED = (
    Thread.kind == "ticket",
    Thread.adopted_at.is_(None),
    Thread.closed_at.is_(None),
    Thread.author_source_id.is_not(None),
    Thread.mirror_of.is_(None),
)
STATES: dict[str, tuple[Any, ...]] = {
    "open": (Thread.closed_at.is_(None),),
    "closed": (Thread.closed_at.is_not(None),),
    "unadopted": UNADOPTED,
}


def next_number(session: Session, repo_id: str) -> int:
    """The number of the repo's next thread, taken: nobody else gets it unless this is rolled back."""
    return session.execute(
        update(Repo)
        .where(Repo.id == repo_id)
        .values(last_number=Repo.last_number + 1)
        .returning(Repo.last_number),
        execution_options={"synchronize_session": False},
    ).scalar_one()


def insert_thread(session: Session, row: Mapping[str, Any]) -> None:
    session.execute(insert(Thread), [dict(row)])


def numbered(session: Session, repo_id: str, number: int) -> Thread | None:
    """The thread of that number, whoever's it is."""
    return session.scalar(select(Thread).where(Thread.repo_id == repo_id, Thread.number == number))


def by_id(session: Session, thread_id: str) -> Thread | None:
    """The thread, whoever's it is."""
    return session.get(Thread, thread_id)


def in_view(
    session: Session, owner_ids: Collection[str] | None, place: str | tuple[str, int]
) -> tuple[Thread, str] | None:
    """The thread of that id, or of that repo's key and number, within the scope; and its repo's name."""
    statement = select(Thread, Repo.name).join(Repo, Repo.id == Thread.repo_id)
    if isinstance(place, str):
        statement = statement.where(Thread.id == place)
    else:
        statement = statement.where(Repo.key == place[0], Thread.number == place[1])
    row = session.execute(statement.where(in_scope(Thread, owner_ids))).first()
    return None if row is None else (row[0], row[1])


def search(
    session: Session,
    repo_ids: Collection[str],
    *,
    number: int | None,
    kind: str | None,
    state: str | None,
    after: str | None,
    limit: int,
) -> list[tuple[Thread, str]]:
    """The threads of these repos with the repos' names, newest first, before the id `after`."""
    conditions = list(STATES.get(state or "", ()))
    if number is not None:
        conditions.append(Thread.number == number)
    if kind is not None:
        conditions.append(Thread.kind == kind)
    if after is not None:
        conditions.append(Thread.id < after)
    rows = session.execute(
        select(Thread, Repo.name)
        .join(Repo, Repo.id == Thread.repo_id)
        .where(Thread.id.in_(newest_of(Thread, repo_ids, conditions, limit)))
        .order_by(Thread.id.desc())
        .limit(limit)
    )
    return [(thread, name) for thread, name in rows]


def places(session: Session, thread_ids: Collection[str]) -> list[tuple[str, str, str, int]]:
    """(id, kind, repo's name, number) of these threads."""
    rows = session.execute(
        select(Thread.id, Thread.kind, Repo.name, Thread.number)
        .join(Repo, Repo.id == Thread.repo_id)
        .where(Thread.id.in_(thread_ids))
    )
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def comment_counts(session: Session, thread_ids: Collection[str]) -> dict[str, int]:
    """Thread id → how many comments; those without any are left out."""
    rows = session.execute(
        select(Comment.thread_id, func.count())
        .where(Comment.thread_id.in_(thread_ids))
        .group_by(Comment.thread_id)
    )
    return {thread_id: count for thread_id, count in rows if thread_id is not None}


def todos_of(session: Session, thread_id: str) -> list[tuple[str, str, str | None]]:
    """(id, state, endpoint's name) of the todos that stand for a ticket, in their order."""
    rows = session.execute(
        select(Todo.id, Todo.state, Endpoint.name)
        .outerjoin(Endpoint, Endpoint.id == Todo.endpoint_id)
        .where(Todo.thread_id == thread_id)
        .order_by(Todo.id)
    )
    return [(row[0], row[1], row[2]) for row in rows]


def unadopted_before(
    session: Session, owner_ids: Collection[str] | None, first_id: str, most: int
) -> list[tuple[Thread, str]]:
    """Tickets of sources that nobody adopted, with ids before `first_id`, the oldest first."""
    rows = session.execute(
        select(Thread, Repo.name)
        .join(Repo, Repo.id == Thread.repo_id)
        .where(in_scope(Thread, owner_ids), *UNADOPTED, Thread.id < first_id)
        .order_by(Thread.id)
        .limit(most)
    )
    return [(thread, name) for thread, name in rows]


def adopt(
    session: Session,
    thread_id: str,
    now: datetime,
    *,
    account_id: str | None = None,
    endpoint_id: str | None = None,
) -> bool:
    """Adopt a ticket that nobody has; whether it was done."""
    return _change(
        session,
        (
            Thread.id == thread_id,
            Thread.kind == "ticket",
            Thread.adopted_at.is_(None),
            Thread.mirror_of.is_(None),
        ),
        {
            "adopted_at": now,
            "adopted_by_account_id": account_id,
            "adopted_by_endpoint_id": endpoint_id,
        },
    )


def set_closed(session: Session, thread_id: str, closed_at: datetime | None) -> None:
    """Close it, or with None reopen it; one already closed stays closed since when it was."""
    was = Thread.closed_at.is_not(None) if closed_at is None else Thread.closed_at.is_(None)
    _change(session, (Thread.id == thread_id, was), {"closed_at": closed_at})


def _change(session: Session, conditions: tuple[Any, ...], values: dict[str, Any]) -> bool:
    changed = session.scalars(
        update(Thread).where(*conditions).values(**values).returning(Thread.id),
        execution_options={"synchronize_session": False},
    )
    return changed.first() is not None
