"""The SQL of comments: those of a thread, and those a todo without a thread keeps itself."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from switchboard.models import Comment, Thread, Todo
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


def authors(
    session: Session, *, thread_id: str | None = None, todo_id: str | None = None
) -> set[str | None]:
    """The accounts that commented on a thread or a todo."""
    place = Comment.thread_id == thread_id if thread_id else Comment.todo_id == todo_id
    return set(session.scalars(select(Comment.author_account_id).where(place).distinct()))


def todo(session: Session, todo_id: str) -> Todo | None:
    """The todo, whoever's it is."""
    return session.get(Todo, todo_id)


def todo_of_endpoint(session: Session, endpoint_id: str, todo_id: str) -> Todo | None:
    return session.scalar(select(Todo).where(Todo.id == todo_id, Todo.endpoint_id == endpoint_id))


def todo_in_view(session: Session, owner_ids: Collection[str] | None, todo_id: str) -> Todo | None:
    return session.scalar(select(Todo).where(Todo.id == todo_id, in_scope(Todo, owner_ids)))
