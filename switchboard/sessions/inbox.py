"""A mailbox: what an agent on another machine collects, and what it says it has read."""

from __future__ import annotations

import time
from typing import Any

from switchboard.access.principals import Agent
from switchboard.errors import NotFound
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import AgentSession, SessionMessage
from switchboard.replies.accept import Waiting
from switchboard.sessions import framing, refs, registry, store

MAX_WAIT_SECONDS = 25.0
AT_ONCE = 50
_FIRST_LOOK, _SLOWEST_LOOK = 0.05, 0.5  # seconds between looks at an empty mailbox


def collect(
    lib: Plumbing, agent: Agent, ref: str, wait: float | None, waiting: Waiting
) -> dict[str, Any]:
    """The answers for the agent's work item that it has not said to have read, oldest first.

    Waits up to `wait` seconds (at most 25) for one. An answer comes again until it is read. Raises
    Forbidden without the `session` verbs, BadRequest `malformed_ref`, NotFound without such a mailbox.
    """
    agent.require(registry.FAMILY)
    item = str(refs.parse(lib, ref))
    with lib.db.write() as session:
        found = store.mailbox(session, agent.endpoint_id, item)
        if found is None:
            raise NotFound("This endpoint has no mailbox for that work item. Register one first.")
        registry.seen(session, found.id)
    _wait(lib, found, max(0.0, min(wait or 0.0, MAX_WAIT_SECONDS)), waiting)
    with lib.db.write() as session:
        registry.seen(session, found.id)
        taken = store.take_unread(session, found.id, clock.now(), AT_ONCE)
        messages = [describe(each) for each in taken]
    return {"ref": item, "session": found.id, "state": found.state, "messages": messages}


def _wait(lib: Plumbing, found: AgentSession, seconds: float, waiting: Waiting) -> None:
    """Look until there is something or the time is over; waiting costs a thread."""
    if seconds == 0 or _any(lib, found) or not waiting.enter():
        return
    try:
        deadline, pause = time.monotonic() + seconds, _FIRST_LOOK
        while not _any(lib, found) and (left := deadline - time.monotonic()) > 0:
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _SLOWEST_LOOK)
    finally:
        waiting.leave()


def _any(lib: Plumbing, found: AgentSession) -> bool:
    with lib.db.read() as session:
        return store.has_unread(session, found.id)


def describe(message: SessionMessage) -> dict[str, Any]:
    """An answer as its agent gets it: the words, and framed as they would stand in a terminal."""
    return {
        "id": message.id,
        "ref": message.ref,
        "text": message.text,
        "framed": framing.frame(message.ref, message.text, message.actor),
        "actor": message.actor,
        "via": message.via,
        "state": message.state,
        "created_at": clock.iso(message.created_at),
        "delivered_at": clock.iso(message.delivered_at),
        "read_at": clock.iso(message.read_at),
    }


def read(lib: Plumbing, agent: Agent, message_id: str) -> dict[str, Any]:
    """The agent has read an answer in its own mailbox. Saying so again changes nothing. Raises NotFound."""
    agent.require(registry.FAMILY)
    with lib.db.write() as session:
        message = None
        if ids.is_id(message_id, "session_message"):
            message = store.message_of_endpoint(session, agent.endpoint_id, message_id)
        if message is None:
            raise NotFound("There is no such answer in this endpoint's mailboxes.")
        registry.seen(session, message.session_id)
        if message.state != "read":
            now = clock.now()
            message.state, message.read_at = "read", now
            message.delivered_at = message.delivered_at or now
        return describe(message)
