"""Gunicorn's threaded worker, with a deadline for a request's head and connections it holds back.

The body's deadline is the application's; but a head that never ends would hold a thread for as long as
its sender likes, and a few of those hold them all. And a kept-alive connection in a hurry is read again
only in a moment (`lib/pacing.py`), so that it leaves the threads to others.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from switchboard.lib.deadlines import ReadDeadlines
from switchboard.lib.pacing import HOLD_SECONDS, Held

HEAD_SECONDS = 5.0


class Worker(ThreadWorker):  # type: ignore[misc]
    """See the module's docstring."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._heads = ReadDeadlines(HEAD_SECONDS)
        self._held: deque[tuple[float, TConn, Any]] = deque()  # due first, first

    def handle(self, conn: TConn) -> Any:
        """Read a request and answer it, on one of the threads."""
        ticket = self._heads.start(conn.sock)
        try:
            return super().handle(conn)
        finally:
            self._heads.stop(ticket)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        """Answer a request whose head was read."""
        self._heads.stop(id(conn.sock))
        return super().handle_request(req, conn)

    def finish_request(self, conn: TConn, fs: Any) -> None:
        """What becomes of a connection that was answered, on the main thread; now, or in a moment."""
        hurried = self.wsgi.extensions["switchboard"].own(Held).take(conn.sock)
        if hurried and fs.exception() is None and fs.result() is True:  # else it is closed
            self._held.append((time.monotonic() + HOLD_SECONDS, conn, fs))
        else:
            super().finish_request(conn, fs)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Wait for something to do; a connection that was held long enough is something."""
        if self._held:
            timeout = min(timeout, max(0.0, self._held[0][0] - time.monotonic()))
        super().wait_for_and_dispatch_events(timeout)
        while self._held and self._held[0][0] <= time.monotonic():
            _, conn, fs = self._held.popleft()
            super().finish_request(conn, fs)
