"""Back pressure: the connection of a sender in a hurry is read again only in a moment.

The door names the connection that it has just answered, the worker (`box/reader.py`) leaves it alone
for HOLD_SECONDS. That takes no thread, and a sender over a few kept-alive connections then comes only as
fast as these are read. One that opens a connection for each request is not slowed by it.
"""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Hashable
from weakref import WeakSet

HOLD_SECONDS = 0.05


class Held:
    """The connections of this process that are to be left alone for a moment."""

    def __init__(self) -> None:
        self._connections: WeakSet[socket.socket] = WeakSet()

    def hold(self, connection: socket.socket) -> None:
        """Leave it alone once it is answered."""
        self._connections.add(connection)

    def take(self, connection: socket.socket) -> bool:
        """Whether it is to be left alone now; asked once an answer."""
        if connection not in self._connections:
            return False
        self._connections.discard(connection)
        return True


class Speeds:
    """How often each of many things has happened in the running second, in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._second = 0
        self._seen: Counter[Hashable] = Counter()

    def seen(self, key: Hashable) -> int:
        """How often, this time counted."""
        second = int(time.monotonic())
        with self._lock:
            if second != self._second:
                self._second = second
                self._seen.clear()
            self._seen[key] += 1
            return self._seen[key]
