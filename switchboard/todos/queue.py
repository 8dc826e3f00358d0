"""Putting work on a queue, inside the transaction of whatever caused it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from switchboard.lib import clock, ids
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
    id: str = field(default_factory=lambda: ids.new("todo"))


def add(session: Session, new: Sequence[NewTodo]) -> None:
    """Write the todos, pending, in the caller's transaction."""
    if new:
        now = clock.now()
        rows = [
            {**asdict(todo), "state": "pending", "attempt": 0, "failures": 0, "created_at": now}
            for todo in new
        ]
        store.insert(session, rows)
