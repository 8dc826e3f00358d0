"""How many calls a process makes at once: one of a hook, a few of all hooks, few of those that fail."""

from __future__ import annotations

import threading

MOST = 8
MOST_AILING = 4  # of hooks whose last call failed: those that hang must leave room


class Places:
    """The calls under way in this process, by endpoint."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: dict[str, bool] = {}  # whether the hook's last call had failed
        self._asked: set[str] = set()

    def take(self, endpoint_id: str, *, ailing: bool) -> bool:
        """Take a place for the calls of that hook; False where it has one, or there is none.

        Who comes while it has one is remembered for `done`.
        """
        with self._lock:
            if endpoint_id in self._taken:
                self._asked.add(endpoint_id)
                return False
            if len(self._taken) >= MOST or (ailing and sum(self._taken.values()) >= MOST_AILING):
                return False
            self._taken[endpoint_id] = ailing
            return True

    def done(self, endpoint_id: str) -> bool:
        """Give the place back, unless somebody came for it since the last time: then look again."""
        with self._lock:
            if endpoint_id in self._asked:
                self._asked.discard(endpoint_id)
                return False
            del self._taken[endpoint_id]
            return True

    def free(self, endpoint_id: str) -> None:
        """Give the place back whoever came; the sweep rings for him."""
        with self._lock:
            self._asked.discard(endpoint_id)
            del self._taken[endpoint_id]
