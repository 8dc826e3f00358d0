"""Reading a sender's body: bounded, in time, and raw before anything else looks at it.

Werkzeug cuts a chunked body over its limit silently and leaves nothing raw once a form was parsed,
so the stream is read here, limit + 1 bytes, first thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from gunicorn.http.errors import ParseException
from werkzeug import Request

from switchboard.errors import Incomplete, Problem, TooLarge, UnsupportedMedia
from switchboard.lib.deadlines import ReadDeadlines

DISCARD_BYTES = 32 * 1024 * 1024  # more than GitHub ever sends
PIECE_BYTES = 64 * 1024
_BROKEN = (OSError, ParseException)  # the latter: chunks that are none


@dataclass(frozen=True)
class Taken:
    """A body as far as it came: whole in `raw`, or refused by `problem` after `received` bytes."""

    raw: bytes
    received: int
    problem: Problem | None = None


def read(request: Request, limit: int, deadlines: ReadDeadlines) -> bytes:
    """The raw body of at most `limit` bytes.

    Raises TooLarge beyond the limit, UnsupportedMedia for any content encoding, Incomplete when the
    sender stops early or is too slow.
    """
    taken = take(request, limit, deadlines)
    if taken.problem is not None:
        raise taken.problem
    return taken.raw


def take(request: Request, limit: int, deadlines: ReadDeadlines) -> Taken:
    """The same for whoever records what came all the same; raises nothing."""
    counted = _Counted(request.environ["wsgi.input"])
    try:
        raw = _read(request, counted, limit, deadlines)
    except Problem as problem:
        return Taken(b"", counted.count, problem)
    return Taken(raw, len(raw))


class _Counted:
    """A stream that knows how much was read from it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.count = 0

    def read(self, size: int) -> bytes:
        piece = bytes(self._stream.read(size))
        self.count += len(piece)
        return piece


def _read(request: Request, stream: _Counted, limit: int, deadlines: ReadDeadlines) -> bytes:
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("", "identity"):
        raise UnsupportedMedia(
            "The body is compressed; send it as it is, without Content-Encoding.",
            field="Content-Encoding",
        )
    length = request.content_length
    if length is None and not request.environ.get("wsgi.input_terminated"):
        return b""  # neither a length nor a server that ends the stream: there is no body
    over = length is not None and length > limit
    with _in_time(request.environ, deadlines):
        raw = b"" if over else stream.read(limit + 1 if length is None else length)
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


def _discard(stream: _Counted, length: int | None) -> None:
    """Read on and keep nothing: a sender whose bytes meet a closed door never hears the answer."""
    left = DISCARD_BYTES if length is None else min(length, DISCARD_BYTES)
    with suppress(*_BROKEN):
        while left > 0 and (piece := stream.read(min(left, PIECE_BYTES))):
            left -= len(piece)
