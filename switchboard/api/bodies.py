"""Reading a sender's body: bounded, in time, and raw before anything else looks at it.

Werkzeug cuts a chunked body over its limit silently and leaves nothing raw once a form was parsed,
so the stream is read here, limit + 1 bytes, first thing.
"""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

from flask import Request

from switchboard.errors import Incomplete, TooLarge, UnsupportedMedia


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
    length = request.content_length
    if length is not None and length > limit:
        raise _too_large(limit)
    raw = _read_stream(request.environ, length, limit, deadlines)
    if len(raw) > limit:
        raise _too_large(limit)
    if length is not None and len(raw) < length:
        raise Incomplete("The body ended before its Content-Length, or took too long.")
    return raw


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The body has more than {limit} bytes.")


def _read_stream(
    environ: dict[str, Any], length: int | None, limit: int, deadlines: ReadDeadlines
) -> bytes:
    stream = environ["wsgi.input"]
    if length is None and not environ.get("wsgi.input_terminated"):
        return b""  # neither a length nor a server that ends the stream: there is no body
    most = limit + 1 if length is None else length
    connection = environ.get("gunicorn.socket")
    if connection is None:
        return bytes(stream.read(most))
    ticket = deadlines.start(connection)
    try:
        return bytes(stream.read(most))
    except OSError:
        raise Incomplete("The connection broke before the body was whole.") from None
    finally:
        deadlines.stop(ticket)
