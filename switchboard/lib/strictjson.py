"""JSON as RFC 8259 means it, for bodies of strangers.

`json.loads` takes NaN, 1e999 and duplicate keys, and raises RecursionError on deep nesting; here all
of these are one clean ValueError.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from typing import Any

MAX_DEPTH = 64
MAX_DIGITS = 1000  # int() itself takes 4300, and its complaint is not for strangers


def loads(raw: bytes) -> Any:
    """The value in `raw` (UTF-8, without a BOM). Raises ValueError saying what is wrong."""
    if raw.startswith(codecs.BOM_UTF8):
        raise ValueError("it starts with a byte order mark")
    text = raw.decode("utf-8")  # UnicodeDecodeError is a ValueError
    if _too_deep(raw):
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_int=_bounded,
            parse_float=_finite,
            object_pairs_hook=_unique_keys,
        )
    except RecursionError:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels") from None


# A JSON string, escapes included, whole or cut off by the end: one that could fail to match would be
# tried again from each of its quotes.
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))


def _too_deep(raw: bytes) -> bool:
    if raw.count(b"{") + raw.count(b"[") <= MAX_DEPTH:
        return False
    depth = 0
    for bracket in _STRING.sub(b"", raw).translate(None, _NOT_BRACKETS):
        depth += 1 if bracket in b"{[" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _bounded(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError("a number is too large")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number is too large")
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("an object names a key twice")
    return made
