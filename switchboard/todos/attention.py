"""What of the todos needs a human."""

from __future__ import annotations

from typing import Any

from switchboard.access.principals import Operator
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.todos import attention_store

MAX_DEAD_LETTERS = 20


def dead_letters(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The todos in view that were given up after their last attempt, the latest first, in short."""
    with lib.db.read() as session:
        rows = attention_store.dead_letters(session, operator.visible, MAX_DEAD_LETTERS)
        return [
            {
                "id": todo.id,
                "title": todo.title,
                "failures": todo.failures,
                "last_failure": todo.last_failure,
                "dead_lettered_at": clock.iso(todo.dead_lettered_at),
            }
            for todo in rows
        ]
