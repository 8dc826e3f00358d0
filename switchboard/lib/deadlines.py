"""Cutting off senders that take too long over a body."""

from __future__ import annotations

import socket
import threading
import time


class ReadDeadlines:
    """One sleeping thread a process, and only while somebody is reading.

    At the deadline it shuts the reading half of the socket, so the blocked read returns.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._open: dict[int, tuple[float, socket.socket]] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def start(self, connection: socket.socket) -> int:
        """Watch a socket from now on; returns what `stop` takes."""
        ticket = id(connection)
        with self._changed:
            self._open[ticket] = (time.monotonic() + self.seconds, connection)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()
            elif len(self._open) == 1:
                self._changed.notify()
        return ticket

    def stop(self, ticket: int) -> None:
        """The body is read."""
        with self._changed:
            self._open.pop(ticket, None)

    def _watch(self) -> None:
        with self._changed:
            while True:
                if not self._open:
                    self._changed.wait()
                    continue
                now = time.monotonic()
                for ticket, (deadline, connection) in list(self._open.items()):
                    if deadline <= now:
                        del self._open[ticket]
                        _shut(connection)
                self._changed.wait(timeout=0.5)


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RD)
    except OSError:
        return  # the sender closed it already, which ends the read as well
