"""The JSON Schemas that several tools' arguments share, and the bounds in them."""

from __future__ import annotations

from typing import Any

from switchboard.lib.paging import MAX_LIMIT
from switchboard.todos.leases import MAX_LEASE_SECONDS

MAX_INTEGER = 2**31 - 1
_NAME = 255  # longer than any id, queue or name of ours


def text(description: str, longest: int = _NAME, **more: Any) -> dict[str, Any]:
    """A string of at most so many characters."""
    return {"type": "string", "maxLength": longest, **more, "description": description}


def whole(description: str, least: int, most: int) -> dict[str, Any]:
    """A whole number between two, both included."""
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


TODO_ID = text("The todo's id, td_…")
ATTEMPT = whole(
    "The attempt number of your claim, from the claimed todo. Give it: if the lease ran out and "
    "somebody else claimed the todo meanwhile, you get lease_lost instead of working on his claim.",
    1,
    MAX_INTEGER,
)
LEASE_SECONDS = whole(
    "How long the claim is yours, in seconds from now. Left out: the box's default, 900 unless "
    "it was changed.",
    1,
    MAX_LEASE_SECONDS,
)
AFTER = text("The `next` of the page before.")
LIMIT = whole("How many at most; 50 when left out.", 1, MAX_LIMIT)
