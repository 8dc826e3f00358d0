"""Holding work: claim, heartbeat, complete, fail, release, and what comes of a lease run out.

`attempt` numbers the claims of a todo and only grows, so a caller that names the one it holds cannot
work on somebody else's claim. `failures` counts the attempts that were burned.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access.principals import Agent, Operator
from switchboard.errors import Conflict, Forbidden, Invalid, NotFound
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean_json
from switchboard.models import Todo
from switchboard.notify import calls
from switchboard.outbox import tell
from switchboard.threads import states
from switchboard.todos import store, views

MAX_LEASE_SECONDS = 86_400
MAX_BACKOFF_SECONDS = 900.0
MAX_DOUBLINGS = 30  # beyond any use; more of them would not fit a float
MAX_RESULT_BYTES = 16_384
REAP_AT_ONCE = 200


def claim_next(
    lib: Plumbing, agent: Agent, queue: str | None = None, lease_seconds: int | None = None
) -> dict[str, Any] | None:
    """Claim the oldest ready todo of the agent's queues (or of `queue`); None: nothing to do."""
    agent.require("drain")
    if queue is not None and queue not in agent.queues:
        raise Forbidden(f"This endpoint was not granted the queue {queue}.", field="queue")
    queues = agent.queues if queue is None else (queue,)
    with lib.db.write() as session:
        now = clock.now()
        until = _lease_until(lib, lease_seconds)
        todo = store.claim_next(session, agent.endpoint_id, queues, now, until)
        _adopt(session, todo)
    return None if todo is None else views.show(lib, todo)


def claim(
    lib: Plumbing, agent: Agent, todo_id: str, lease_seconds: int | None = None
) -> dict[str, Any]:
    """Claim one pending todo by id. Raises NotFound, Conflict when it is not pending."""
    agent.require("drain")
    with lib.db.write() as session:
        until = _lease_until(lib, lease_seconds)
        todo = store.claim(session, agent.endpoint_id, todo_id, until)
        if todo is None:
            held = _held_by(session, agent, todo_id)
            raise Conflict(f"The todo is {held.state}, so it cannot be claimed.")
        _adopt(session, todo)
    return views.show(lib, todo)


def _adopt(session: Session, todo: Todo | None) -> None:
    """Whoever claims the todo of a ticket adopts the ticket, if nobody has."""
    if todo is not None and todo.thread_id is not None:
        states.adopt_by_claim(session, todo.thread_id, todo.endpoint_id, clock.now())


def heartbeat(
    lib: Plumbing,
    agent: Agent,
    todo_id: str,
    attempt: int | None = None,
    lease_seconds: int | None = None,
) -> dict[str, Any]:
    """Extend the lease from now. Raises NotFound, Conflict `not_claimed` or `lease_lost`."""
    return _change(
        lib, agent, todo_id, attempt, {"lease_expires_at": _lease_until(lib, lease_seconds)}
    )


def complete(
    lib: Plumbing, agent: Agent, todo_id: str, attempt: int | None = None, result: Any = None
) -> dict[str, Any]:
    """Finish a todo with an optional JSON result of up to 16 KiB."""
    done = {"state": "done", "finished_at": clock.now(), "result": _check_result(result)}
    return _change(lib, agent, todo_id, attempt, done | {"lease_expires_at": None})


def release(
    lib: Plumbing, agent: Agent, todo_id: str, attempt: int | None = None
) -> dict[str, Any]:
    """Put a todo back at once; no attempt is burned."""
    return _change(lib, agent, todo_id, attempt, {"state": "pending", "lease_expires_at": None})


def fail(
    lib: Plumbing,
    agent: Agent,
    todo_id: str,
    attempt: int | None = None,
    result: Any = None,
    *,
    retry: bool = True,
) -> dict[str, Any]:
    """Give a todo up: it comes back after a pause, or stays failed without `retry`."""
    agent.require("drain")
    kept = _check_result(result)
    with lib.db.write() as session:
        values = {"result": kept, "last_failure": "the agent reported a failure"}
        todo = _changed(session, agent, todo_id, attempt, values)
        _burn_attempt(lib, todo, clock.now(), retry=retry)
        bells, due = calls.keep_again(session, [todo]), _tell_of_dead(session, [todo])
    calls.ring(lib, bells)
    tell.ring(lib, due)
    return views.show(lib, todo)


def _change(
    lib: Plumbing, agent: Agent, todo_id: str, attempt: int | None, values: dict[str, Any]
) -> dict[str, Any]:
    agent.require("drain")
    with lib.db.write() as session:
        todo = _changed(session, agent, todo_id, attempt, values)
    return views.show(lib, todo)


def _changed(
    session: Session, agent: Agent, todo_id: str, attempt: int | None, values: dict[str, Any]
) -> Todo:
    todo = store.change_claimed(session, agent.endpoint_id, todo_id, attempt, values)
    if todo is not None:
        return todo
    held = _held_by(session, agent, todo_id)
    if attempt is not None and attempt != held.attempt:
        raise Conflict(
            f"Attempt {attempt} is over: the todo is {held.state} at attempt {held.attempt}.",
            "lease_lost",
        )
    raise Conflict(f"The todo is {held.state}, not claimed. Claim it first.", "not_claimed")


def _held_by(session: Session, agent: Agent, todo_id: str) -> Todo:
    todo = (
        store.of_endpoint(session, agent.endpoint_id, todo_id)
        if ids.is_id(todo_id, "todo")
        else None
    )
    if todo is None:
        raise NotFound("There is no such todo on this endpoint.")
    return todo


def _lease_until(lib: Plumbing, seconds: int | None) -> datetime:
    wanted = lib.settings["LEASE_SECONDS"] if seconds is None else seconds
    if not 1 <= wanted <= MAX_LEASE_SECONDS:
        raise Invalid(f"A lease lasts 1 to {MAX_LEASE_SECONDS} seconds.", field="lease_seconds")
    return clock.ahead(wanted)


def _check_result(result: Any) -> Any:
    tidy = clean_json(result)
    # measured as JSON is sent, in UTF-8: an emoji is four bytes of it, not twelve of escapes
    if len(json.dumps(tidy, ensure_ascii=False, separators=(",", ":")).encode()) > MAX_RESULT_BYTES:
        raise Invalid(f"A result is JSON of up to {MAX_RESULT_BYTES} bytes.", field="result")
    return tidy


def _burn_attempt(lib: Plumbing, todo: Todo, now: datetime, *, retry: bool) -> None:
    todo.failures += 1
    todo.lease_expires_at = None
    exhausted = todo.failures >= lib.settings["MAX_ATTEMPTS"]
    if retry and not exhausted:
        doubled = 2 ** min(todo.failures - 1, MAX_DOUBLINGS)
        pause = min(lib.settings["RETRY_SECONDS"] * doubled, MAX_BACKOFF_SECONDS)
        todo.state, todo.not_before = "pending", clock.ahead(pause)
        return
    todo.state, todo.finished_at = "failed", now
    todo.dead_lettered_at = now if exhausted else None


def _tell_of_dead(session: Session, todos: Sequence[Todo]) -> list[tell.Due]:
    """Tell of those that were given up after their last attempt."""
    return [
        due
        for todo in todos
        if todo.dead_lettered_at is not None
        for due in tell.tell(session, _news(todo))
    ]


def _news(todo: Todo) -> tell.News:
    return tell.News(
        event="dead_letter",
        owner_id=todo.owner_id,
        about_id=todo.id,
        title=f"Given up: {todo.title}",
        text=f"{todo.failures} attempts failed; the last one: {todo.last_failure}. "
        "It waits on its page for somebody to retry it.",
        path=f"/todos/{todo.id}",
        place_id=todo.id,
        answers=f"todo-comment:{todo.id}",
    )


def reap(lib: Plumbing) -> int:
    """Take back every todo whose lease ran out, each a burned attempt; how many there were."""
    reaped = 0
    while True:
        with lib.db.write() as session:
            now = clock.now()
            todos = store.expired(session, now, REAP_AT_ONCE)
            for todo in todos:
                todo.last_failure = "the lease ran out"
                _burn_attempt(lib, todo, now, retry=True)
            bells, due = calls.keep_again(session, todos), _tell_of_dead(session, todos)
        calls.ring(lib, bells)
        tell.ring(lib, due)
        reaped += len(todos)
        if len(todos) < REAP_AT_ONCE:
            return reaped


def retry(lib: Plumbing, operator: Operator, todo_id: str) -> dict[str, Any]:
    """A human puts a failed or waiting todo back, with all its attempts before it again."""
    with lib.db.write() as session:
        todo = store.in_view(session, todo_id, operator.visible, locked=True)
        if todo is None:
            raise NotFound("There is no such todo.")
        operator.may_configure(todo.owner_account_id or todo.owner_team_id or "")
        if todo.state not in ("failed", "pending"):
            raise Conflict(
                f"The todo is {todo.state}; only a failed or waiting one can be retried."
            )
        todo.state, todo.failures = "pending", 0
        todo.not_before = todo.finished_at = todo.dead_lettered_at = None
        bells = calls.keep_again(session, [todo])
    calls.ring(lib, bells)
    return views.show_to_operator(lib, todo)
