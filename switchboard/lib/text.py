"""Text from strangers, made fit to store and show: no NUL, no lone surrogate, bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

_FULL_WIDTH = 0xFEE0  # from an ASCII sign to its full-width form
_MEANS_SOMETHING = {ord(sign): ord(sign) + _FULL_WIDTH for sign in "\\`*_~[]<>|#@&!$"}
# what begins a list or a rule, and what is made a link of unasked: the last sign of each is widened
_BEGINS = re.compile(r"^[-+=]|^[0-9]{1,9}[.)]|:(?=//)|\bwww\.", re.IGNORECASE)


def clean(text: str, limit: int | None = None) -> str:
    """`text` without NUL and with lone surrogates replaced, cut to `limit` characters."""
    tidy = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    tidy = tidy.replace("\x00", "")
    return tidy if limit is None or len(tidy) <= limit else tidy[: limit - 1] + "…"


def one_line(text: str, limit: int) -> str:
    """`text` cleaned, white space and control characters folded to single spaces."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return clean(text.strip(), limit)  # the common case, some ten times faster
    visible = "".join(c if c.isprintable() else " " for c in clean(text))
    return clean(" ".join(visible.split()), limit)


def inert(text: str, limit: int) -> str:
    """`text` as one line that reads the same and means nothing to Markdown, HTML or a chat.

    Signs that would are written in their full-width form; NFKC brings them back.
    """
    line = one_line(text, limit).translate(_MEANS_SOMETHING)
    return _BEGINS.sub(lambda found: found[0][:-1] + chr(ord(found[0][-1]) + _FULL_WIDTH), line)


def clean_json(value: Any) -> Any:
    """`value` (JSON) with every string cleaned, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_json(each) for each in value]
    if isinstance(value, dict):
        return {clean(key): clean_json(each) for key, each in value.items()}
    return value


def admitted(name: str, globs: Iterable[str], *, exactly: bool = False) -> bool:
    """Whether any glob matches `name`; a star stays inside its `/` segment.

    So `acme*` does not admit `acme-evil/rocket`; a lone `*` admits everything. Upper and lower case are
    one, as at the forges, unless `exactly`.
    """
    if not exactly:
        name, globs = name.lower(), [glob.lower() for glob in globs]
    return any(glob == "*" or _by_segment(name, glob) for glob in globs)


def _by_segment(name: str, glob: str) -> bool:
    names, globs = name.split("/"), glob.split("/")
    return len(names) == len(globs) and all(map(fnmatchcase, names, globs))
