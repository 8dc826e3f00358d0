"""The SQL of replies: accepting them, sweeping them, telling of them. Dialling is `dial_store.py`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import and_, case, func, null, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from switchboard.models import Reply, Source, Todo
from switchboard.models.base import in_scope, table_of

_REPLIES = table_of(Reply)
_C = _REPLIES.c
_INSERT = {  # the one key beside the fresh id is the idempotency key: a todo's, or of no todo
    "sqlite": sqlite.insert(_REPLIES).on_conflict_do_nothing(),
    "postgresql": postgresql.insert(_REPLIES).on_conflict_do_nothing(),
}


def todo_of(session: Session, endpoint_id: str, todo_id: str) -> tuple[Todo, bool] | None:
    """The endpoint's todo, and whether its source's secret is known to an agent."""
    row = session.execute(
        select(Todo, Source.secret_known_to_agent)
        .outerjoin(Source, Source.id == Todo.source_id)
        .where(Todo.id == todo_id, Todo.endpoint_id == endpoint_id)
    ).first()
    return None if row is None else (row[0], bool(row[1]))


def todo_at(session: Session, owner_id: str, address_key: str) -> str | None:
    """The id of the owner's newest todo that is answered at that address."""
    at = Todo.reply_to["key"].as_string() == address_key
    statement = select(Todo.id).where(in_scope(Todo, [owner_id]), at)
    return session.scalar(statement.order_by(Todo.id.desc()).limit(1))


def lock_todo(session: Session, todo_id: str) -> Todo:
    """The todo, held until the transaction ends."""
    return session.scalars(select(Todo).where(Todo.id == todo_id).with_for_update()).one()


def with_key(session: Session, todo_id: str | None, key: str) -> Reply | None:
    return session.scalar(
        select(Reply).where(Reply.todo_id == todo_id, Reply.idempotency_key == key)
    )


def count_of_todo(session: Session, todo_id: str) -> int:
    return session.scalar(select(func.count()).where(Reply.todo_id == todo_id)) or 0


def failed_with_key(session: Session, todo_id: str | None, key: str) -> int:
    """How many posts of keys that begin so came to nothing."""
    return (
        session.scalar(
            select(func.count()).where(
                Reply.todo_id == todo_id,
                Reply.idempotency_key.startswith(key),
                Reply.state == "failed",
            )
        )
        or 0
    )


def aimed_by_an_agent(session: Session, endpoint_id: str, address_key: str) -> bool:
    """Whether a todo of the endpoint with that address came from a source whose secret an agent knows."""
    known = list(session.scalars(select(Source.id).where(Source.secret_known_to_agent)))
    if not known:  # as mostly, and then nobody walks over an endpoint's todos
        return False
    statement = select(Todo.id).where(
        Todo.endpoint_id == endpoint_id,
        Todo.source_id.in_(known),
        Todo.reply_to["key"].as_string() == address_key,
    )
    return session.scalar(statement.limit(1)) is not None


def insert(session: Session, values: Mapping[str, Any]) -> bool:
    """Write the row unless the todo has one with its key; whether it was written."""
    connection = session.connection()
    statement = _INSERT[connection.dialect.name].execution_options(preserve_rowcount=True)
    return connection.execute(statement, values).rowcount == 1


def of_endpoint(session: Session, endpoint_id: str, reply_id: str) -> Reply | None:
    return session.scalar(
        select(Reply).where(Reply.id == reply_id, Reply.endpoint_id == endpoint_id)
    )


def by_id(session: Session, reply_id: str) -> Reply | None:
    return session.get(Reply, reply_id)


def due(
    session: Session, now: datetime, unclaimed_before: datetime, after: str, most: int
) -> list[str]:
    """Ids of pending replies nobody took up: accepted before then, or put off until now."""
    return list(
        session.scalars(
            select(Reply.id)
            .where(
                Reply.state == "pending",
                Reply.dial_started_at.is_(None),
                Reply.id > after,
                or_(
                    Reply.not_before <= now,
                    and_(Reply.not_before.is_(None), Reply.created_at <= unclaimed_before),
                ),
            )
            .order_by(Reply.id)
            .limit(most)
        )
    )


def by_ids(session: Session, reply_ids: Collection[str]) -> list[Reply]:
    """The replies of those ids, oldest first."""
    return list(session.scalars(select(Reply).where(Reply.id.in_(reply_ids)).order_by(Reply.id)))


def lose_unfinished(session: Session, claimed_before: datetime, now: datetime) -> list[str]:
    """Claimed and not finished since: unless its echo proves that it was posted, nobody can tell.

    The ids of all that were settled, those that prove sent among them.
    """
    proven = _C.provider_object_id.is_not(None)
    return _ids(
        session,
        update(_REPLIES)
        .where(_C.state == "pending", _C.dial_started_at < claimed_before)
        .values(
            state=case((proven, "sent"), else_="unknown"),
            error_class=case((proven, null()), else_="network"),
            error_code=case((proven, null()), else_="worker_lost"),
            finished_at=now,
        ),
    )


def expire_unclaimed(session: Session, created_before: datetime, now: datetime) -> list[str]:
    """Never claimed for a day: nobody wants yesterday's answer posted unasked. The ids of those."""
    return _ids(
        session,
        update(_REPLIES)
        .where(
            Reply.state == "pending",
            Reply.dial_started_at.is_(None),
            Reply.created_at < created_before,
        )
        .values(state="failed", error_class="network", error_code="expired", finished_at=now),
    )


def _ids(session: Session, statement: Any) -> list[str]:
    return list(session.connection().execute(statement.returning(_C.id)).scalars())


def of_todos(session: Session, todo_ids: Collection[str]) -> list[Any]:
    """Rows (todo id, state, permalink) of what answered them, oldest first."""
    return list(
        session.execute(
            select(Reply.todo_id, Reply.state, Reply.permalink)
            .where(Reply.todo_id.in_(todo_ids), Reply.purpose == "reply")
            .order_by(Reply.id)
        )
    )


def whole_of_todo(session: Session, todo_id: str) -> list[Reply]:
    return list(session.scalars(select(Reply).where(Reply.todo_id == todo_id).order_by(Reply.id)))


def troubled(
    session: Session, owner_ids: Collection[str] | None, since: datetime, most: int
) -> list[Reply]:
    """Replies in view that failed or are unknown since then, newest first."""
    return list(
        session.scalars(
            select(Reply)
            .where(
                in_scope(Reply, owner_ids),
                Reply.state.in_(("failed", "unknown")),
                Reply.created_at >= since,
            )
            .order_by(Reply.id.desc())
            .limit(most)
        )
    )


def posted_object(
    session: Session, owner_id: str, address_key: str, object_id: str, since: datetime
) -> str | None:
    """The id of our reply that made this provider object, posted since then."""
    return session.scalar(
        select(Reply.id).where(
            Reply.provider_object_id == object_id,
            Reply.address_key == address_key,
            in_scope(Reply, [owner_id]),
            Reply.created_at >= since,
        )
    )


def unsettled_with_text(
    session: Session, owner_id: str, address_key: str, posted_sha256: str, since: datetime
) -> str | None:
    """The id of our oldest reply of that text to that address whose object we do not know."""
    return session.scalar(
        select(Reply.id)
        .where(
            Reply.address_key == address_key,
            Reply.posted_sha256 == posted_sha256,
            in_scope(Reply, [owner_id]),
            Reply.created_at >= since,
            Reply.provider_object_id.is_(None),
            or_(
                Reply.state.in_(("unknown", "sent")),
                and_(Reply.state == "pending", Reply.dial_started_at.is_not(None)),
            ),
        )
        .order_by(Reply.id)
    )
