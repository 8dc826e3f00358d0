"""The key by which a body is known: as one event's, and in a range of its own as whichever event's.

Its SHA-256 stands there as a number. Databases differ in how they order letters (a Danish one puts `aa`
behind `z`), and about digits they agree.
"""

from __future__ import annotations

DIGITS = 78  # of the largest SHA-256


def key_of(body_sha256: str, event_type: str | None) -> str:
    """The key of a body, its SHA-256 in hex, under that event."""
    return f"{_key(int(body_sha256, 16))}:{event_type}"


def range_of(body_sha256: str) -> tuple[str, str]:
    """All keys of that body lie between these two, and no other body's."""
    number = int(body_sha256, 16)
    return _key(number), _key(number + 1)


def _key(number: int) -> str:
    return f"body:{number:0{DIGITS}d}"
