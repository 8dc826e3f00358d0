"""What was read a moment ago, for what a busy path reads again and again.

A moment is so short that a change seen that much later might as well have come that much later. What
this process itself changes is seen at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from switchboard.lib.db import Database

T = TypeVar("T")

MOMENT_SECONDS = 0.03
MOST = 256


class Recent:
    """Values by key, each good for a moment or until this process writes to the database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._kept: dict[Hashable, tuple[float, int, Any]] = {}

    def get(self, key: Hashable, load: Callable[[], T | None]) -> T | None:
        """What `load` returned for this key a moment ago, or returns now. None is not kept."""
        now, writes = time.monotonic(), self._db.writes
        until, at, value = self._kept.get(key, (0.0, 0, None))
        if now < until and at == writes:
            found: T = value
            return found
        loaded = load()
        if loaded is not None:
            if len(self._kept) >= MOST:
                self._kept.clear()
            self._kept[key] = (now + MOMENT_SECONDS, writes, loaded)
        return loaded

    def forget(self) -> None:
        """What was read is old: this process has just changed it on the short way."""
        self._kept.clear()
