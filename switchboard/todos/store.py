"""The SQL of todos. A claim is one conditional UPDATE, alike on SQLite and Postgres."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_, select, update
from sqlalchemy.orm import Session

from switchboard.lib.express import Write, insert_into
from switchboard.models import Delivery, DeliveryBody, Endpoint, Source, Todo
from switchboard.models.base import in_scope, table_of

_INSERT = insert_into(table_of(Todo))


def insert_write(row: Mapping[str, Any]) -> Write:
    """Write one todo; `row` has every column."""
    return Write(_INSERT, row, rows=1)


def claim_next(
    session: Session,
    endpoint_id: str,
    queues: Collection[str],
    now: datetime,
    lease_until: datetime,
) -> Todo | None:
    """Claim the oldest ready todo of these queues and return it; None: nothing was ready."""
    ready = or_(Todo.not_before.is_(None), Todo.not_before <= now)
    oldest = (
        select(Todo.id)
        .where(
            Todo.endpoint_id == endpoint_id,
            Todo.queue.in_(queues),
            Todo.state == "pending",
            ready,
        )
        .order_by(Todo.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    return _claim(session, endpoint_id, oldest.scalar_subquery(), lease_until)


def claim(session: Session, endpoint_id: str, todo_id: str, lease_until: datetime) -> Todo | None:
    """Claim a named pending todo, also before its pause is over: the caller asks for it on purpose."""
    return _claim(session, endpoint_id, todo_id, lease_until)


def _claim(session: Session, endpoint_id: str, todo_id: Any, lease_until: datetime) -> Todo | None:
    return session.scalars(
        update(Todo)
        .where(Todo.id == todo_id, Todo.endpoint_id == endpoint_id, Todo.state == "pending")
        .values(
            state="claimed", attempt=Todo.attempt + 1, lease_expires_at=lease_until, not_before=None
        )
        .returning(Todo),
        execution_options={"synchronize_session": False},
    ).first()


def change_claimed(
    session: Session, endpoint_id: str, todo_id: str, attempt: int | None, values: dict[str, Any]
) -> Todo | None:
    """Change a todo this endpoint holds (at that attempt, if named); None when it does not."""
    conditions = [Todo.id == todo_id, Todo.endpoint_id == endpoint_id, Todo.state == "claimed"]
    if attempt is not None:
        conditions.append(Todo.attempt == attempt)
    return session.scalars(
        update(Todo).where(*conditions).values(**values).returning(Todo),
        execution_options={"synchronize_session": False},
    ).first()


def of_endpoint(session: Session, endpoint_id: str, todo_id: str) -> Todo | None:
    return session.scalar(select(Todo).where(Todo.id == todo_id, Todo.endpoint_id == endpoint_id))


def expired(session: Session, now: datetime, most: int) -> list[Todo]:
    """Claimed todos whose lease has run out, locked for this transaction."""
    return list(
        session.scalars(
            select(Todo)
            .where(Todo.state == "claimed", Todo.lease_expires_at < now)
            .limit(most)
            .with_for_update(skip_locked=True)
        )
    )


def search(
    session: Session,
    *,
    owner_ids: Collection[str] | None = None,
    endpoint_id: str | None = None,
    state: str | None = None,
    queue: str | None = None,
    after: str | None = None,
    limit: int,
    newest_first: bool = False,
) -> list[Todo]:
    """Todos by keyset on the id."""
    statement = select(Todo)
    if endpoint_id is not None:
        statement = statement.where(Todo.endpoint_id == endpoint_id)
    else:
        statement = statement.where(in_scope(Todo, owner_ids))
    if state:
        statement = statement.where(Todo.state == state)
    if queue:
        statement = statement.where(Todo.queue == queue)
    if after:
        statement = statement.where(Todo.id < after if newest_first else Todo.id > after)
    order = Todo.id.desc() if newest_first else Todo.id
    return list(session.scalars(statement.order_by(order).limit(limit)))


def in_view(
    session: Session, todo_id: str, owner_ids: Collection[str] | None, *, locked: bool = False
) -> Todo | None:
    """One todo within the scope; `locked` holds it until the transaction ends."""
    statement = select(Todo).where(Todo.id == todo_id, in_scope(Todo, owner_ids))
    return session.scalar(statement.with_for_update() if locked else statement)


def counts(session: Session, owner_ids: Collection[str] | None) -> dict[str, int]:
    """State → how many."""
    rows = session.execute(
        select(Todo.state, func.count()).where(in_scope(Todo, owner_ids)).group_by(Todo.state)
    )
    return {state: count for state, count in rows}


def names(
    session: Session, todos: Sequence[Todo]
) -> tuple[dict[str, str], dict[str, tuple[str, str]]]:
    """Source id → name, and endpoint id → (slug, name), of these todos."""
    sources = session.execute(
        select(Source.id, Source.name).where(Source.id.in_({todo.source_id for todo in todos}))
    )
    endpoints = session.execute(
        select(Endpoint.id, Endpoint.slug, Endpoint.name).where(
            Endpoint.id.in_({todo.endpoint_id for todo in todos})
        )
    )
    return (
        {source_id: name for source_id, name in sources},
        {endpoint_id: (slug, name) for endpoint_id, slug, name in endpoints},
    )


def body_sizes(session: Session, delivery_ids: Collection[str]) -> dict[str, int]:
    """Delivery id → bytes of its body, inflated."""
    rows = session.execute(select(Delivery.id, Delivery.bytes).where(Delivery.id.in_(delivery_ids)))
    return {delivery_id: size for delivery_id, size in rows}


def bodies(session: Session, delivery_ids: Collection[str]) -> dict[str, tuple[str, bytes]]:
    """Delivery id → (content type, compressed body)."""
    rows = session.execute(
        select(Delivery.id, Delivery.headers, DeliveryBody.body)
        .join(DeliveryBody, DeliveryBody.delivery_id == Delivery.id)
        .where(Delivery.id.in_(delivery_ids))
    )
    return {
        delivery_id: (str(headers.get("Content-Type", "")), body)
        for delivery_id, headers, body in rows
    }
