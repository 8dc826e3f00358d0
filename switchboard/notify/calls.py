"""Bells: a row in the transaction that makes a todo ready, and a ring after its commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy.orm import Session

from switchboard.lib import clock, ids, queue
from switchboard.lib.express import Write, run_within
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Todo
from switchboard.notify import call_store, store


@dataclass(frozen=True)
class Bell:
    """A call to be, for a todo of an endpoint that has a hook; `at` is when the todo is ready."""

    endpoint_id: str
    todo_id: str
    at: datetime = field(default_factory=clock.now)
    id: str = field(default_factory=lambda: ids.new("hook_call"))


def writes(bells: Sequence[Bell]) -> list[Write]:
    """What keeps these bells, for the transaction that makes their todos ready."""
    return [
        call_store.insert_write(each.id, each.endpoint_id, each.todo_id, each.at, clock.now())
        for each in bells
    ]


def keep_again(session: Session, todos: Sequence[Todo]) -> list[Bell]:
    """Keep a bell for each todo that came back, where its endpoint has a hook, to be rung later."""
    back = [todo for todo in todos if todo.state == "pending"]
    if not back:
        return []
    hooked = store.hooked(session, {todo.endpoint_id for todo in back})
    bells = [
        Bell(todo.endpoint_id, todo.id, todo.not_before or clock.now())
        for todo in back
        if todo.endpoint_id in hooked
    ]
    run_within(session, writes(bells))
    return bells


def ring(lib: Plumbing, bells: Sequence[Bell]) -> None:
    """Ring for those whose todo is ready by now, after the commit; the sweep rings for the others."""
    now = clock.now()
    for each in bells:
        if each.at <= now and not queue.ring(lib.valkey, queue.CALL_HOOK, each.id):
            return
