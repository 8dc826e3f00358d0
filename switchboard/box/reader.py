"""Gunicorn's threaded worker, with a deadline for a request's head.

The body's deadline is the application's; but a head that never ends would hold a thread for as long as
its sender likes, and a few of those hold them all.
"""

from __future__ import annotations

from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from switchboard.lib.deadlines import ReadDeadlines

HEAD_SECONDS = 5.0


class Worker(ThreadWorker):  # type: ignore[misc]
    """See the module's docstring."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._heads = ReadDeadlines(HEAD_SECONDS)

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
