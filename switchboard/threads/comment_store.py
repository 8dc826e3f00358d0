"""The SQL of comments: those of a thread, and those a todo without a thread keeps itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from switchboard.models import Account, Comment, Delivery, Endpoint, Source, Thread, Todo
from switchboard.models.base import in_scope


def add(session: Session, comment: Comment) -> None:
    """Write a comment; its thread, if it has one, is then commented on at that time."""
    session.add(comment)
    session.flush()
    if comment.thread_id:
        session.execute(
            update(Thread)
            .where(Thread.id == comment.thread_id)
            .values(commented_at=comment.created_at),
            execution_options={"synchronize_session": False},
        )


def of_place(
    session: Session,
    *,
    thread_id: str | None = None,
    todo_id: str | None = None,
    after: str | None,
    limit: int,
) -> list[Comment]:
    """The comments of a thread or of a todo, oldest first, behind the id `after`."""
    place = Comment.thread_id == thread_id if thread_id else Comment.todo_id == todo_id
    statement = select(Comment).where(place)
    if after is not None:
        statement = statement.where(Comment.id > after)
    return list(session.scalars(statement.order_by(Comment.id).limit(limit)))


def todo_of_endpoint(session: Session, endpoint_id: str, todo_id: str) -> Todo | None:
    return session.scalar(select(Todo).where(Todo.id == todo_id, Todo.endpoint_id == endpoint_id))


def todo_in_view(session: Session, owner_ids: Collection[str] | None, todo_id: str) -> Todo | None:
    return session.scalar(select(Todo).where(Todo.id == todo_id, in_scope(Todo, owner_ids)))


def kept_deliveries(session: Session, delivery_ids: Collection[str]) -> set[str]:
    """Which of these deliveries are still on record."""
    return set(session.scalars(select(Delivery.id).where(Delivery.id.in_(delivery_ids))))


def names(session: Session, ids_of: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Id → name of these accounts, sources and endpoints, given by the words for them."""
    models: dict[str, type[Account | Source | Endpoint]]
    models = {"account": Account, "source": Source, "endpoint": Endpoint}
    found: dict[str, str] = {}
    for word, wanted in ids_of.items():
        model = models[word]
        if wanted:
            rows = session.execute(select(model.id, model.name).where(model.id.in_(wanted)))
            found |= {row_id: name for row_id, name in rows}
    return found
