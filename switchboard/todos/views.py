"""A todo as JSON, for agents and operators, with what it carries: payload, address, replies."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import owners
from switchboard.access.principals import Agent, Operator
from switchboard.errors import Invalid, NotFound
from switchboard.lib import clock, ids, payload
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Todo
from switchboard.replies import summary
from switchboard.threads import refs
from switchboard.todos import store

STATES = ("pending", "claimed", "done", "failed")
LIST_PAYLOAD_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Page:
    """Todos by id, and the `after` of the next page (None: there is none)."""

    todos: list[dict[str, Any]]
    next: str | None


def show(lib: Plumbing, todo: Todo) -> dict[str, Any]:
    """A todo just changed, whole; what it carries is read now, outside the change's transaction."""
    with lib.db.read() as session:
        return _describe_all(session, [todo])[0]


def show_to_operator(lib: Plumbing, todo: Todo) -> dict[str, Any]:
    """The same with what only its owner needs to know."""
    with lib.db.read() as session:
        _, endpoints = store.names(session, [todo])
        return _describe_all(session, [todo])[0] | {
            "owner": owners.label_of(session, todo.owner_id),
            "endpoint": endpoints.get(todo.endpoint_id, ("", ""))[1],
            "delivery": todo.delivery_id,
            "failures": todo.failures,
            "last_failure": todo.last_failure,
            "result": todo.result,
            "dead_lettered_at": clock.iso(todo.dead_lettered_at),
            "finished_at": clock.iso(todo.finished_at),
            "not_before": clock.iso(todo.not_before),
        }


def _describe_all(
    session: Session, todos: list[Todo], *, with_payloads: bool = True
) -> list[dict[str, Any]]:
    sources, _ = store.names(session, todos)
    replies = summary.of_todos(session, [todo.id for todo in todos])
    payloads = _payloads(session, todos) if with_payloads else {}
    threads = refs.of(session, {todo.thread_id for todo in todos if todo.thread_id})
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
            "thread": threads.get(todo.thread_id or ""),
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
    sizes = store.body_sizes(session, [todo.delivery_id for todo in todos if todo.delivery_id])
    wanted, room = [], LIST_PAYLOAD_BYTES
    for delivery_id, size in sizes.items():
        room -= size
        if room >= 0 or len(todos) == 1:
            wanted.append(delivery_id)
    return {
        delivery_id: payload.read(content_type, zlib.decompress(compressed))
        for delivery_id, (content_type, compressed) in store.bodies(session, wanted).items()
    }


def get(lib: Plumbing, agent: Agent, todo_id: str) -> dict[str, Any]:
    """One todo of the agent's endpoint. Raises NotFound."""
    agent.require("drain")
    with lib.db.read() as session:
        todo = None
        if ids.is_id(todo_id, "todo"):
            todo = store.of_endpoint(session, agent.endpoint_id, todo_id)
        if todo is None:
            raise NotFound("There is no such todo on this endpoint.")
        return _describe_all(session, [todo])[0]


def search(
    lib: Plumbing,
    agent: Agent,
    *,
    state: str | None = None,
    queue: str | None = None,
    after: str | None = None,
    limit: int = 50,
    with_payloads: bool = True,
) -> Page:
    """The endpoint's todos, oldest first; without payloads theirs is None."""
    agent.require("drain")
    wanted = {"endpoint_id": agent.endpoint_id, "state": state, "queue": queue, "after": after}
    return _page(lib, partial(_describe_all, with_payloads=with_payloads), limit, wanted)


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
    wanted = {"owner_ids": operator.visible, "state": state, "queue": queue, "after": after}
    return _page(lib, _describe_all, limit, wanted | {"newest_first": True})


def board(
    lib: Plumbing,
    operator: Operator,
    *,
    state: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The todos in the operator's view as lines: newest first, without their payloads."""
    wanted = {"owner_ids": operator.visible, "state": state, "after": after}
    return _page(lib, _lines, limit, wanted | {"newest_first": True})


def _page(
    lib: Plumbing,
    describe: Callable[[Session, list[Todo]], list[dict[str, Any]]],
    limit: int,
    wanted: dict[str, Any],
) -> Page:
    if wanted["state"] is not None and wanted["state"] not in STATES:
        raise Invalid(f"A state is one of {', '.join(STATES)}.", field="state")
    size = max(1, min(limit, MAX_LIMIT))
    with lib.db.read() as session:
        found = store.search(session, limit=size + 1, **wanted)
        shown = describe(session, found[:size])
    return Page(shown, shown[-1]["id"] if len(found) > size else None)


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
    return show_to_operator(lib, todo)


def counts(lib: Plumbing, operator: Operator) -> dict[str, int]:
    """How many todos in view are in each state."""
    with lib.db.read() as session:
        found = store.counts(session, operator.visible)
    return {state: found.get(state, 0) for state in STATES}
