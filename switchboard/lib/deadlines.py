"""Cutting off senders that take too long over a body."""

from __future__ import annotations

import socket
import threading
import time

LOOK_SECONDS = 0.5
IDLE_LOOKS = 20


class ReadDeadlines:
    """One thread a process that looks twice a second, and ends a while after the last read.

    At the deadline it shuts the reading half of the socket, so the blocked read returns. Nothing wakes
    it for a read, which on a busy box would cost more than the read.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._open: dict[int, tuple[float, socket.socket]] = {}
        self._lock = threading.Lock()
        self._watching = False

    def start(self, connection: socket.socket) -> int:
        """Watch a socket from now on; returns what `stop` takes."""
        ticket = id(connection)
        with self._lock:
            self._open[ticket] = (time.monotonic() + self.seconds, connection)
            if not self._watching:
                self._watching = True
                threading.Thread(target=self._watch, daemon=True).start()
        return ticket

    def stop(self, ticket: int) -> None:
        """What was to be read is read."""
        with self._lock:
            self._open.pop(ticket, None)

    def _watch(self) -> None:
        idle_looks = 0
        while True:
            time.sleep(LOOK_SECONDS)
            with self._lock:
                idle_looks = 0 if self._open else idle_looks + 1
                if idle_looks >= IDLE_LOOKS:
                    self._watching = False
                    return
                late = self._take_late(time.monotonic())
            for connection in late:
                _shut(connection)

    def _take_late(self, now: float) -> list[socket.socket]:
        late = [ticket for ticket, (deadline, _) in self._open.items() if deadline <= now]
        return [self._open.pop(ticket)[1] for ticket in late]


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RD)
    except OSError:
        return  # the sender closed it already, which ends the read as well
