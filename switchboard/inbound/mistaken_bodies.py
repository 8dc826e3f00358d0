"""Bodies that are nearly those that came: with other line ends, or the same JSON written anew."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from switchboard.lib import payload

_CURE = "Send the very bytes that were signed."
_ANEW = (
    "the same JSON, but {}: a library of the sender, or a proxy on the way, read the body and wrote it "
    "anew. " + _CURE
)
_COMPACT, _SPACED = (",", ":"), (", ", ": ")
_WRITINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("compact", {"separators": _COMPACT, "ensure_ascii": False}),
    ("compact and in ASCII", {"separators": _COMPACT}),
    ("with spaces", {"separators": _SPACED, "ensure_ascii": False}),
    ("with spaces and in ASCII", {"separators": _SPACED}),
    ("compact and sorted", {"separators": _COMPACT, "ensure_ascii": False, "sort_keys": True}),
    ("compact, sorted and in ASCII", {"separators": _COMPACT, "sort_keys": True}),
    ("with spaces and sorted", {"separators": _SPACED, "ensure_ascii": False, "sort_keys": True}),
    ("with spaces, sorted and in ASCII", {"separators": _SPACED, "sort_keys": True}),
    ("indented by two", {"indent": 2, "ensure_ascii": False}),
)


def of(content_type: str, raw: bytes) -> Iterator[tuple[str, bytes]]:
    """(sentence, body) of each body that may have been signed instead; 'The signature is of …'."""
    seen = {raw}
    for why, body in _each(content_type, raw):
        if body not in seen:
            seen.add(body)
            yield why, body


def _each(content_type: str, raw: bytes) -> Iterator[tuple[str, bytes]]:
    shorter = "the body without the line break at its end. " + _CURE
    longer = (
        "the body and a line break after it, which was not sent (echo adds one, curl -d drops it). "
        + _CURE
    )
    yield shorter, raw.rstrip(b"\r\n")
    yield longer, raw + b"\n"
    yield longer, raw + b"\r\n"
    unix = raw.replace(b"\r\n", b"\n")
    yield "the body with LF line ends, and it came with CRLF. " + _CURE, unix
    yield (
        "the body with CRLF line ends, and it came with LF. " + _CURE,
        unix.replace(b"\n", b"\r\n"),
    )
    for inner in _in_form(raw):
        yield "the JSON inside the form, and not of the form as it is sent. " + _CURE, inner
    with suppress(ValueError):  # no JSON, so nobody wrote it anew
        yield from _anew(payload.read(content_type, raw))


def _in_form(raw: bytes) -> list[bytes]:
    if not raw.startswith(b"payload="):
        return []
    with suppress(ValueError):
        fields = parse_qs(raw.decode("ascii"), max_num_fields=100)
        return [each.encode() for each in fields.get("payload", [])[:1]]
    return []


def _anew(body: Any) -> Iterator[tuple[str, bytes]]:
    for how, options in _WRITINGS:
        yield _ANEW.format(how), _bytes(json.dumps(body, **options))
    slashes = json.dumps(body, separators=_COMPACT).replace("/", "\\/")
    yield _ANEW.format("compact, in ASCII and with \\/ as PHP writes it"), _bytes(slashes)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
