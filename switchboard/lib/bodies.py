"""Reading a sender's body: bounded, in time, and raw before anything else looks at it.

Werkzeug cuts a chunked body over its limit silently and leaves nothing raw once a form was parsed,
so the stream is read here, limit + 1 bytes, first thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from gunicorn.http.errors import ParseException
from werkzeug import Request

from switchboard.errors import Incomplete, TooLarge, UnsupportedMedia
from switchboard.lib.deadlines import ReadDeadlines

DISCARD_BYTES = 32 * 1024 * 1024  # more than GitHub ever sends
PIECE_BYTES = 64 * 1024
_BROKEN = (OSError, ParseException)  # the latter: chunks that are none


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
