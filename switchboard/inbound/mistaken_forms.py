"""Ways to write a signature down: with which prefix, in hex or in base64."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

PREFIXES = ("", "sha256=", "v0=", "v1,")
_PREFIX = re.compile(r"(?:sha\d+|v\d)[=,]", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{40,128}", re.IGNORECASE | re.ASCII)
SHA256_BYTES = 32


def digest(value: str) -> bytes | None:
    """The bytes that a header's value says, whatever their prefix and form; None: it says none."""
    first = value.split(" ", 1)[0]
    bare = _PREFIX.sub("", first, count=1) if _PREFIX.match(first) else first
    try:
        return (
            bytes.fromhex(bare) if _HEX.fullmatch(bare) else base64.b64decode(bare, validate=True)
        )
    except (binascii.Error, ValueError):
        return None


def of(value: str) -> Iterator[tuple[str, str]]:
    """(shape, value) of every way to write the same SHA-256 digest."""
    given = digest(value)
    if given is None or len(given) != SHA256_BYTES:
        return
    forms = {"lower-case hex": given.hex(), "base64": base64.b64encode(given).decode()}
    for prefix in PREFIXES:
        for form, text in forms.items():
            after = f"{prefix} and then the digest in {form}" if prefix else f"the digest in {form}"
            yield after, prefix + text
