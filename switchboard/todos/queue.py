"""Putting work on a queue, inside the transaction of whatever caused it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from switchboard.lib import clock, ids
from switchboard.lib.express import Write
from switchboard.todos import store


@dataclass(frozen=True)
class NewTodo:
    """A todo to be: its endpoint's owner is its owner, `reply_to` never changes afterwards."""

    endpoint_id: str
    queue: str
    owner_account_id: str | None
    owner_team_id: str | None
    title: str
    subject: str | None
    kind: str
    source_id: str | None
    delivery_id: str | None
    reply_to: dict[str, Any] | None
    thread_id: str | None = None
    id: str = field(default_factory=lambda: ids.new("todo"))


_UNSET = {
    "state": "pending",
    "attempt": 0,
    "failures": 0,
    "not_before": None,
    "lease_expires_at": None,
    "result": None,
    "last_failure": None,
    "finished_at": None,
    "dead_lettered_at": None,
}


def writes(new: Sequence[NewTodo]) -> list[Write]:
    """What puts these todos on their queues, pending, for the transaction of whatever caused them."""
    now = clock.now()
    return [store.insert_write({**_UNSET, **vars(todo), "created_at": now}) for todo in new]
