"""The ids under which *send test* sends its samples, by which the record tells them from a sender's."""

from __future__ import annotations

import re
import secrets

_SHAPE = re.compile(r"test-[0-9a-f]{24}", re.ASCII)


def new() -> str:
    """An id that no delivery had before."""
    return f"test-{secrets.token_hex(12)}"


def is_one(sender_id: str | None) -> bool:
    """Whether a delivery that goes by this id is such a sample."""
    return sender_id is not None and _SHAPE.fullmatch(sender_id) is not None
