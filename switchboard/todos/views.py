"""A todo as JSON, for agents and operators, with what it carries: payload, address, replies."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access.principals import Agent, Operator
from switchboard.errors import Invalid, NotFound
from switchboard.lib import clock, ids, payload
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Todo
from switchboard.replies import summary
from switchboard.todos import store

STATES = ("pending", "claimed", "done", "failed")
MAX_LIMIT = 200
LIST_PAYLOAD_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Page:
    """Todos by id, and the `after` of the next page (None: there is none)."""

    todos: list[dict[str, Any]]
    next: str | None


def for_agent(session: Session, todo: Todo) -> dict[str, Any]:
    """One todo, whole."""
    return _describe_all(session, [todo])[0]


def for_operator(session: Session, todo: Todo) -> dict[str, Any]:
    """One todo, whole, with what only its owner needs to know."""
    _, endpoints = store.names(session, [todo])
    return for_agent(session, todo) | {
        "endpoint": endpoints.get(todo.endpoint_id, ("", ""))[1],
        "delivery": todo.delivery_id,
        "failures": todo.failures,
        "last_failure": todo.last_failure,
        "result": todo.result,
        "dead_lettered_at": clock.iso(todo.dead_lettered_at),
        "finished_at": clock.iso(todo.finished_at),
        "not_before": clock.iso(todo.not_before),
    }


def _describe_all(session: Session, todos: list[Todo]) -> list[dict[str, Any]]:
    sources, _ = store.names(session, todos)
    replies = summary.of_todos(session, [todo.id for todo in todos])
    payloads = _payloads(session, todos)
    return [
        {
            "id": todo.id,
            "queue": todo.queue,
            "state": todo.state,
            "attempt": todo.attempt,
            "title": todo.title,
            "source": sources.get(todo.source_id or ""),
            "kind": todo.kind,
            "subject": todo.subject,
            "reply_to": _public_address(todo.reply_to),
            "replies": replies[todo.id],
            "payload": payloads.get(todo.delivery_id or ""),
            "lease_expires_at": clock.iso(todo.lease_expires_at),
            "created_at": clock.iso(todo.created_at),
        }
        for todo in todos
    ]


def _public_address(address: dict[str, Any] | None) -> dict[str, Any] | None:
    """The address without the key that only echo matching needs."""
    return None if address is None else {k: v for k, v in address.items() if k != "key"}


def _payloads(session: Session, todos: list[Todo]) -> dict[str, Any]:
    """Payloads by delivery id; a list carries 4 MiB of them at most, the rest are fetched singly."""
    bodies = store.bodies(session, [todo.delivery_id for todo in todos if todo.delivery_id])
    found: dict[str, Any] = {}
    room = LIST_PAYLOAD_BYTES
    for delivery_id, (content_type, compressed) in bodies.items():
        raw = zlib.decompress(compressed)
        room -= len(raw)
        if room >= 0 or len(todos) == 1:
            found[delivery_id] = payload.read(content_type, raw)
    return found


def get(lib: Plumbing, agent: Agent, todo_id: str) -> dict[str, Any]:
    """One todo of the agent's endpoint. Raises NotFound."""
    agent.require("drain")
    with lib.db.read() as session:
        todo = None
        if ids.is_id(todo_id, "todo"):
            todo = store.of_endpoint(session, agent.endpoint_id, todo_id)
        if todo is None:
            raise NotFound("There is no such todo on this endpoint.")
        return for_agent(session, todo)


def search(
    lib: Plumbing,
    agent: Agent,
    *,
    state: str | None = None,
    queue: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The endpoint's todos, oldest first."""
    agent.require("drain")
    size = _check(state, limit)
    with lib.db.read() as session:
        found = store.search(
            session,
            endpoint_id=agent.endpoint_id,
            state=state,
            queue=queue,
            after=after,
            limit=size + 1,
        )
        return _page(_describe_all(session, found[:size]), len(found) > size)


def search_as_operator(
    lib: Plumbing,
    operator: Operator,
    *,
    state: str | None = None,
    queue: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The todos in the operator's view, newest first."""
    size = _check(state, limit)
    with lib.db.read() as session:
        found = store.search(
            session,
            owner_ids=operator.visible,
            state=state,
            queue=queue,
            after=after,
            limit=size + 1,
            newest_first=True,
        )
        return _page(_describe_all(session, found[:size]), len(found) > size)


def board(
    lib: Plumbing,
    operator: Operator,
    *,
    state: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The todos in the operator's view as lines: newest first, without their payloads."""
    size = _check(state, limit)
    with lib.db.read() as session:
        found = store.search(
            session,
            owner_ids=operator.visible,
            state=state,
            after=after,
            limit=size + 1,
            newest_first=True,
        )
        return _page(_lines(session, found[:size]), len(found) > size)


def _lines(session: Session, todos: list[Todo]) -> list[dict[str, Any]]:
    sources, endpoints = store.names(session, todos)
    replies = summary.of_todos(session, [todo.id for todo in todos])
    return [
        {
            "id": todo.id,
            "state": todo.state,
            "title": todo.title,
            "subject": todo.subject,
            "kind": todo.kind,
            "source": sources.get(todo.source_id or ""),
            "endpoint": endpoints.get(todo.endpoint_id, ("", ""))[1],
            "queue": todo.queue,
            "attempt": todo.attempt,
            "failures": todo.failures,
            "last_failure": todo.last_failure,
            "replies": replies[todo.id],
            "lease_expires_at": clock.iso(todo.lease_expires_at),
            "not_before": clock.iso(todo.not_before),
            "created_at": clock.iso(todo.created_at),
            "finished_at": clock.iso(todo.finished_at),
            "dead_lettered_at": clock.iso(todo.dead_lettered_at),
        }
        for todo in todos
    ]


def get_as_operator(lib: Plumbing, operator: Operator, todo_id: str) -> dict[str, Any]:
    """One todo in the operator's view. Raises NotFound."""
    with lib.db.read() as session:
        todo = store.in_view(session, todo_id, operator.visible)
        if todo is None:
            raise NotFound("There is no such todo.")
        return for_operator(session, todo)


def counts(lib: Plumbing, operator: Operator) -> dict[str, int]:
    """How many todos in view are in each state."""
    with lib.db.read() as session:
        found = store.counts(session, operator.visible)
    return {state: found.get(state, 0) for state in STATES}


def _check(state: str | None, limit: int) -> int:
    if state is not None and state not in STATES:
        raise Invalid(f"A state is one of {', '.join(STATES)}.", field="state")
    return max(1, min(limit, MAX_LIMIT))


def _page(todos: list[dict[str, Any]], more: bool) -> Page:
    return Page(todos, todos[-1]["id"] if more and todos else None)
