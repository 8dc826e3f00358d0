"""Reading a sender's body: bounded, in time, and raw before anything else looks at it.

Werkzeug cuts a chunked body over its limit silently and leaves nothing raw once a form was parsed,
so the stream is read here, limit + 1 bytes, first thing.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from flask import Request
from gunicorn.http.errors import ParseException

from switchboard.errors import Incomplete, TooLarge, UnsupportedMedia

DISCARD_BYTES = 32 * 1024 * 1024  # more than GitHub ever sends
PIECE_BYTES = 64 * 1024
_BROKEN = (OSError, ParseException)  # the latter: chunks that are none


class ReadDeadlines:
    """Cuts off senders that take too long over a body.

    One sleeping thread a process, and only while somebody is reading: at the deadline it shuts the
    reading half of the socket, so the blocked read returns.
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


def read(request: Request, limit: int, deadlines: ReadDeadlines) -> bytes:
    """The raw body of at most `limit` bytes.

    Raises TooLarge beyond the limit, UnsupportedMedia for any content encoding, Incomplete when the
    sender stops early or is too slow.
    """
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise UnsupportedMedia(
            "The body is compressed; send it as it is, without Content-Encoding.",
            field="Content-Encoding",
        )
    length, stream = request.content_length, request.environ["wsgi.input"]
    if length is None and not request.environ.get("wsgi.input_terminated"):
        return b""  # neither a length nor a server that ends the stream: there is no body
    over = length is not None and length > limit
    with _in_time(request.environ, deadlines):
        raw = b"" if over else bytes(stream.read(limit + 1 if length is None else length))
        if over or len(raw) > limit:
            _discard(stream, length)
            raise TooLarge(f"The body has more than {limit} bytes.")
    if length is not None and len(raw) < length:
        raise Incomplete("The body ended before its Content-Length, or took too long.")
    return raw


@contextmanager
def _in_time(environ: dict[str, Any], deadlines: ReadDeadlines) -> Iterator[None]:
    connection = environ.get("gunicorn.socket")
    ticket = None if connection is None else deadlines.start(connection)
    try:
        yield
    except _BROKEN:
        raise Incomplete("The connection broke before the body was whole.") from None
    finally:
        if ticket is not None:
            deadlines.stop(ticket)


def _discard(stream: Any, length: int | None) -> None:
    """Read on and keep nothing: a sender whose bytes meet a closed door never hears the answer."""
    left = DISCARD_BYTES if length is None else min(length, DISCARD_BYTES)
    with suppress(*_BROKEN):
        while left > 0 and (piece := stream.read(min(left, PIECE_BYTES))):
            left -= len(piece)
