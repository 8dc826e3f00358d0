"""The SQL of what an endpoint holds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from switchboard.models import Repo, Source, Thread, Todo


def claimed(session: Session, endpoint_id: str, todo_id: str) -> Todo | None:
    return _newest(session, select(Todo).where(Todo.id == todo_id), endpoint_id)


def claimed_of_ticket(
    session: Session, endpoint_id: str, repo_key: str, number: int
) -> Todo | None:
    """The newest that stands for the ticket."""
    statement = (
        select(Todo)
        .join(Thread, Thread.id == Todo.thread_id)
        .join(Repo, Repo.id == Thread.repo_id)
        .where(Repo.key == repo_key, Thread.number == number, Thread.kind == "ticket")
    )
    return _newest(session, statement, endpoint_id)


def claimed_at(session: Session, endpoint_id: str, address_key: str) -> Todo | None:
    """The newest that is answered at that address."""
    statement = select(Todo).where(Todo.reply_to["key"].as_string() == address_key)
    return _newest(session, statement, endpoint_id)


def _newest(session: Session, statement: Any, endpoint_id: str) -> Todo | None:
    held = statement.where(Todo.endpoint_id == endpoint_id, Todo.state == "claimed")
    return session.scalars(held.order_by(Todo.id.desc()).limit(1)).first()


def owner_of_todo(session: Session, todo_id: str) -> str | None:
    todo = session.get(Todo, todo_id)
    return todo.owner_id if todo else None


def comments_of_todo(session: Session, todo_id: str) -> dict[str, str] | None:
    """Where a todo's comments are kept: with the ticket it stands for, else with itself."""
    todo = session.get(Todo, todo_id)
    if todo is None:
        return None
    return {"thread_id": todo.thread_id} if todo.thread_id else {"todo_id": todo.id}


def owner_of_ticket(session: Session, repo_key: str, number: int) -> str | None:
    found = _ticket(session, repo_key, number)
    return found.owner_id if found else None


def ticket_id(session: Session, repo_key: str, number: int) -> str | None:
    found = _ticket(session, repo_key, number)
    return found.id if found else None


def _ticket(session: Session, repo_key: str, number: int) -> Thread | None:
    return session.scalar(
        select(Thread)
        .join(Repo, Repo.id == Thread.repo_id)
        .where(Repo.key == repo_key, Thread.number == number, Thread.kind == "ticket")
    )


def agent_knows_secret(session: Session, todo: Todo) -> bool:
    """Whether the todo came from a source whose secret an agent knows."""
    statement = select(Source.id).where(Source.id == todo.source_id, Source.secret_known_to_agent)
    return session.scalar(statement) is not None
