"""An agent's reply: refused before any row exists, or a row that a worker dials once."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access.principals import Agent
from switchboard.errors import Conflict, Invalid, NotFound
from switchboard.lib import clock, ids, queue
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean
from switchboard.models import Connection, Reply, Todo
from switchboard.providers import answering_kind
from switchboard.replies import limits, resolve, rows, scan, store, summary
from switchboard.replies.wording import posted_text

MAX_TEXT = 16_384
MAX_KEY = 128
_FIRST_LOOK, _SLOWEST_LOOK = 0.004, 0.1  # seconds between looks at a row that is not settled


@dataclass(frozen=True)
class Request:
    """What the agent asks: the words, and how to treat a repeat. `wait` is in seconds."""

    todo_id: str
    text: str
    idempotency_key: str | None = None
    attempt: int | None = None
    wait: float | None = None


class Waiting:
    """How many threads of this process may wait for a reply to settle: half of them."""

    def __init__(self, threads: int) -> None:
        self._room = threading.BoundedSemaphore(max(1, threads // 2))

    def enter(self) -> bool:
        """Take a place; False when all are taken, and then nobody waits."""
        return self._room.acquire(blocking=False)

    def leave(self) -> None:
        """Give the place back."""
        self._room.release()


def accept(lib: Plumbing, agent: Agent, request: Request, waiting: Waiting) -> dict[str, Any]:
    """Take a reply and return its outcome as it stands after the wait.

    Raises the refusals in the order that docs/replies.md gives; after any of them no row exists and
    no idempotency key is used up.
    """
    key = _key_of(request)
    with lib.db.read() as session:
        todo, known = _find_todo(session, agent, request.todo_id)
        agent.require("reply")
        if key and (earlier := store.with_key(session, todo.id, key)):
            return _again(earlier, request)
        _check_claim(lib, todo, request.attempt)
        if key is None:
            raise Invalid(
                f"An idempotency key is 1 to {MAX_KEY} printable ASCII characters.",
                field="idempotency_key",
            )
        text = _check_text(lib, todo, request.text)
        connection = resolve.connection_for(
            lib,
            session,
            todo.owner_account_id or todo.owner_team_id or "",
            _address(todo),
            endpoint_id=todo.endpoint_id,
            agent_knows_secret=known,
        )
        _check_length(lib, todo, posted_text(text, connection.signature))
        resolve.refuse_closed(connection)
        row, cap = _row(agent, todo, connection, key, text), connection.replies_per_todo
    if _insert(lib, agent, row, request.attempt, cap):
        queue.ring(lib.valkey, queue.DIAL_REPLY, row["id"])
        return wait(lib, row["id"], _seconds_to_wait(lib, request.wait), waiting)
    with lib.db.read() as session:
        earlier = store.with_key(session, row["todo_id"], key)
        assert earlier is not None
        return _again(earlier, request)


def _insert(
    lib: Plumbing, agent: Agent, row: dict[str, Any], attempt: int | None, cap: int | None
) -> bool:
    """Write the row unless its key has one; whether it was written."""
    with lib.db.write() as session:
        # again, now that nobody else can change the todo or add a reply to it
        held = store.lock_todo(session, row["todo_id"])
        _check_claim(lib, held, attempt)
        try:
            inserted = store.insert(session, row)
        except IntegrityError:
            raise resolve.no_connection("It was deleted just now.") from None
        if inserted:
            limits.charge(lib, session, agent.endpoint_id, held.id, cap)
        return inserted


def _key_of(request: Request) -> str | None:
    """The caller's key, else one made of todo and text; None for one that cannot be a key."""
    key = request.idempotency_key
    if key is None:
        digest = hashlib.sha256(f"{request.todo_id}\0{clean(request.text)}".encode())
        return digest.hexdigest()
    fine = 1 <= len(key) <= MAX_KEY and key.isascii() and key.isprintable()
    return key if fine else None


def _find_todo(session: Session, agent: Agent, todo_id: str) -> tuple[Todo, bool]:
    found = None
    if ids.is_id(todo_id, "todo"):
        found = store.todo_of(session, agent.endpoint_id, todo_id)
    if found is None:
        raise NotFound("There is no such todo on this endpoint.")
    return found


def _again(earlier: Reply, request: Request) -> dict[str, Any]:
    outcome = summary.describe(earlier, duplicate=True)
    if clean(request.text) != earlier.text:
        outcome["text_differs"] = True
    return outcome


def _check_claim(lib: Plumbing, todo: Todo, attempt: int | None) -> None:
    if todo.reply_to is None:
        raise Conflict(
            "This todo has no reply address: its origin cannot be answered.", "no_reply_address"
        )
    if todo.state == "pending":
        raise Conflict("The todo is not claimed. Claim it first.", "not_claimed")
    if attempt is not None and attempt != todo.attempt:
        raise Conflict(
            f"Attempt {attempt} is over; the todo is at attempt {todo.attempt}.", "lease_lost"
        )
    grace = lib.settings["REPLY_GRACE_SECONDS"]
    if todo.state in ("done", "failed") and (
        todo.finished_at is None or todo.finished_at < clock.ago(grace)
    ):
        raise Conflict(
            f"The todo ended more than {grace:.0f} s ago, so it takes no reply any more.",
            "reply_window_closed",
        )


def _check_text(lib: Plumbing, todo: Todo, given: str) -> str:
    text = clean(given)
    if is_blank(text):
        raise Invalid("The text is empty.", field="text")
    if len(text) > MAX_TEXT:
        raise Invalid(f"A reply has at most {MAX_TEXT} characters.", field="text")
    _check_length(lib, todo, text)
    scan.refuse_secrets(text)
    return text


def is_blank(text: str) -> bool:
    """Whether nobody would see anything of `text`."""
    return not any(character.isprintable() and not character.isspace() for character in text)


def _check_length(lib: Plumbing, todo: Todo, text: str) -> None:
    answering_kind(lib.settings, _address(todo)["provider"]).check_text(text)


def _address(todo: Todo) -> dict[str, Any]:
    assert todo.reply_to is not None  # see _check_claim
    return todo.reply_to


def _row(agent: Agent, todo: Todo, connection: Connection, key: str, text: str) -> dict[str, Any]:
    owner = {"owner_account_id": todo.owner_account_id, "owner_team_id": todo.owner_team_id}
    of_todo = {"todo_id": todo.id, "endpoint_id": agent.endpoint_id, "idempotency_key": key}
    return rows.pending("reply", connection, _address(todo), text) | of_todo | owner


def _seconds_to_wait(lib: Plumbing, asked: float | None) -> float:
    most: float = lib.settings["REPLY_WAIT_SECONDS"]
    return most if asked is None else max(0.0, min(asked, most))


def wait(lib: Plumbing, reply_id: str, seconds: float, waiting: Waiting) -> dict[str, Any]:
    """Look at a row until it is settled or the time is over, which costs a thread: its outcome."""
    if seconds == 0 or not waiting.enter():
        return look(lib, reply_id)
    try:
        deadline, pause = time.monotonic() + seconds, _FIRST_LOOK
        while True:
            outcome = look(lib, reply_id)
            left = deadline - time.monotonic()
            if outcome["state"] != "pending" or left <= 0:
                return outcome
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _SLOWEST_LOOK)
    finally:
        waiting.leave()


def look(lib: Plumbing, reply_id: str) -> dict[str, Any]:
    """The outcome of a row that is there, as it stands."""
    with lib.db.read() as session:
        reply = store.by_id(session, reply_id)
        assert reply is not None
        return summary.describe(reply)


def get(lib: Plumbing, agent: Agent, reply_id: str) -> dict[str, Any]:
    """One reply of the agent's endpoint. Raises NotFound."""
    with lib.db.read() as session:
        reply = None
        if ids.is_id(reply_id, "reply"):
            reply = store.of_endpoint(session, agent.endpoint_id, reply_id)
        if reply is None:
            raise NotFound("There is no such reply on this endpoint.")
        return summary.describe(reply)
