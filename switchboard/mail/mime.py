"""A raw mail taken apart: its headers, its text, the names and sizes of what is attached.

The standard library reads each part's headers; the splitting is ours, because its reader looks at every
line in Python: a mail of 20 MiB of newlines takes it many seconds, here it is a search for boundaries.
"""

from __future__ import annotations

import binascii
import quopri
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import collapse_rfc2231_value
from typing import Final

from switchboard.lib.text import clean, one_line

MAX_DEPTH = 16  # multiparts inside one another; deeper ones are not opened
MAX_PARTS = 500
MAX_MARKS = 10_000  # lines of a multipart that begin like its boundary
MAX_HEADER_BYTES = 64 * 1024  # of a part; the rest is not looked at
MAX_HEADER_LINE = 2_000  # characters of one header
MAX_BODY_BYTES = 4 * 1024 * 1024  # of a text part that are decoded

_ENDS_MARK: Final = re.compile(rb"(--)?[ \t]{0,99}(?=\r?\n|\Z)")
_NOT_BASE64: Final = bytes(
    set(range(256)) - set(f"{string.ascii_letters}{string.digits}+/".encode())
)
# below base64, a line of dashes or of several words: some servers put their footer there as it is
_BASE64_ENDS: Final = re.compile(
    rb"\n(?=[-_*]{2,80}[ \t]{0,9}\r?\n|[^\s=]{0,99}[^\s=][ \t]{1,9}\S)"
)
_NEWLINE: Final = re.compile(rb"\A\r?\n")
_PARSER: Final = BytesHeaderParser()


@dataclass(frozen=True)
class Part:
    """One part that is no multipart: its headers and its body as sent."""

    headers: Message
    body: bytes

    @property
    def type(self) -> str:
        return self.headers.get_content_type()

    @property
    def name(self) -> str:
        """The file name, one line, empty if it has none."""
        for header, param in (("content-disposition", "filename"), ("content-type", "name")):
            value = self.headers.get_param(param, None, header)
            if value:
                return one_line(decoded(collapse_rfc2231_value(value)[:MAX_HEADER_LINE]), 200)
        return ""

    @property
    def is_attached(self) -> bool:
        """Whether it is a file rather than something to read."""
        return self.headers.get_content_disposition() == "attachment" or bool(self.name)

    @property
    def size(self) -> int:
        """Bytes once decoded, near enough: the body itself is never decoded for it."""
        if _encoding(self.headers) == "base64":
            signs = len(self.body) - self.body.count(b"\n") - self.body.count(b"\r")
            return max(signs * 3 // 4 - self.body[-4:].count(b"="), 0)
        return len(self.body)

    def text(self) -> str:
        """The body as text, whatever its charset claims; never fails."""
        body = self.body[:MAX_BODY_BYTES]
        match _encoding(self.headers):
            case "base64":
                body = _from_base64(body)
            case "quoted-printable":
                body = quopri.decodestring(body)
        return _text(body, self.headers.get_content_charset("") or "")


def parse(raw: bytes) -> tuple[Message, list[Part]]:
    """The headers of a mail and its parts in order, multiparts opened. Never fails."""
    headers, body = _split(raw)
    return headers, list(_leaves(headers, body))


def headers_of(raw: bytes) -> Message:
    """The headers alone, as far as they are looked at."""
    return _split(raw)[0]


def header(message: Message, name: str) -> str:
    """A header as one decoded line (RFC 2047), empty if it is missing; at most 2 000 characters."""
    return next(iter(all_headers(message, name)), "")


def all_headers(message: Message, name: str) -> list[str]:
    """Each header of that name, as `header` reads one."""
    return [
        one_line(decoded(_from_bytes(str(value)[:MAX_HEADER_LINE])), MAX_HEADER_LINE)
        for key, value in message.raw_items()
        if key.lower() == name
    ]


def _from_bytes(value: str) -> str:
    """A header that was sent as bytes instead of encoded words: UTF-8, as RFC 6532 has it."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def decoded(value: str) -> str:
    """`value` with its encoded words (RFC 2047) read, or as it is if they are broken."""
    if "=?" not in value:
        return value
    try:
        return "".join(
            piece if isinstance(piece, str) else _text(piece, charset or "")
            for piece, charset in decode_header(value)
        )
    except (HeaderParseError, ValueError):
        return value


def _split(raw: bytes) -> tuple[Message, bytes]:
    """A part's headers and its body."""
    if begins := _NEWLINE.match(raw):
        return Message(), raw[begins.end() :]
    ends = [(at, len(mark)) for mark in (b"\n\n", b"\n\r\n") if (at := raw.find(mark)) >= 0]
    at, length = min(ends, default=(len(raw), 0))
    return _PARSER.parsebytes(raw[: min(at, MAX_HEADER_BYTES)] + b"\n\n"), raw[at + length :]


def _leaves(headers: Message, body: bytes) -> Iterator[Part]:
    """The parts that are no multipart, in order; the stack is ours, so that depth breaks nothing."""
    todo = [(headers, body, 0)]
    for _ in range(MAX_PARTS):
        if not todo:
            return
        headers, body, depth = todo.pop()
        boundary = headers.get_boundary() if headers.get_content_maintype() == "multipart" else None
        if boundary and depth < MAX_DEPTH:
            pieces = _pieces(body, boundary.encode("utf-8", "surrogateescape"))
            todo.extend((*_split(piece), depth + 1) for piece in reversed(pieces))
        else:
            yield Part(headers, body)


def _pieces(body: bytes, boundary: bytes) -> list[bytes]:
    """What stands between the boundaries of `body`."""
    pieces: list[bytes] = []
    begin = None
    for at, after in _marks(body, b"--" + boundary):
        if begin is not None:
            pieces.append(_NEWLINE.sub(b"", body[begin:at], count=1))
        if after[1] or len(pieces) >= MAX_PARTS:
            return pieces
        begin = after.end()
    if begin is not None:
        pieces.append(_NEWLINE.sub(b"", body[begin:], count=1))
    return pieces


def _marks(body: bytes, mark: bytes) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Where the lines are that say `mark`, and what ends each. A pattern would take ten times as long."""
    at = 0 if body.startswith(mark) else body.find(b"\n" + mark)
    for _ in range(MAX_MARKS):
        if at < 0:
            return
        behind = body.index(mark, at) + len(mark)
        if after := _ENDS_MARK.match(body, behind):
            yield at, after
        at = body.find(b"\n" + mark, behind)


def _encoding(headers: Message) -> str:
    return str(headers.get("content-transfer-encoding") or "").strip().lower()


def _from_base64(body: bytes) -> bytes:
    """Decoded as far as it goes, without a footer in clear text below it."""
    if ends := _BASE64_ENDS.search(body):
        body = body[: ends.start()]
    signs = body.translate(None, delete=_NOT_BASE64)
    try:
        return binascii.a2b_base64(signs + b"=" * (-len(signs) % 4))
    except binascii.Error:
        return binascii.a2b_base64(signs[: len(signs) // 4 * 4])


def _text(body: bytes, charset: str) -> str:
    for each in (charset, "utf-8", "cp1252"):
        try:
            return clean(body.decode(each))
        except (LookupError, UnicodeError, ValueError):
            continue
    return clean(body.decode("latin-1"))
