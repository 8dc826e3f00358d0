"""Reading what a sender wrote: fields that are what they should be, or nothing at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from switchboard.errors import Invalid

REPO = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}", re.ASCII)
MAX_OBJECT_ID = 128
MAX_TITLE = 300
MAX_ID = 256
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:[0-9]{1,5})?", re.ASCII)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}", re.ASCII)
_DOTTED = re.compile(r"[a-z][a-z0-9_.]{0,62}", re.ASCII)


def unmappable(field_name: str) -> Invalid:
    """The refusal of a body that lacks `field_name` or holds something else there."""
    return Invalid(f"The body has no usable {field_name}.", "unmappable", field=field_name)


def missing_id(header: str) -> Invalid:
    """The refusal of a delivery without the sender's id for it."""
    return Invalid(
        f"The {header} header is missing or not a plain id.", "missing_delivery_id", field=header
    )


def plain_id(text: object) -> str | None:
    """`text` trimmed when it is an id of 1 to 256 printable ASCII characters, else None."""
    given = text.strip() if isinstance(text, str) else ""
    return (
        given
        if given and len(given) <= MAX_ID and given.isascii() and given.isprintable()
        else None
    )


def event_name(text: object, *, dotted: bool = False) -> str | None:
    """`text` when it is a plain lower-case name of an event, else None."""
    shape = _DOTTED if dotted else _NAME
    return text if isinstance(text, str) and shape.fullmatch(text) else None


def mapping(value: object) -> dict[str, Any]:
    """`value` when it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def valid_repo(text: object) -> bool:
    """Two segments of `[A-Za-z0-9._-]`, neither of them `.` or `..`."""
    return (
        isinstance(text, str)
        and REPO.fullmatch(text) is not None
        and not {".", ".."} & set(text.split("/"))
    )


def positive(value: object) -> int | None:
    """A whole number from 1 that JSON can carry exactly; true is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 < value < 2**53 else None


def object_id(value: object) -> str | None:
    """A provider's numeric id as text, however large within reason."""
    whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
    text = str(value) if whole and isinstance(value, int) and value < 10**30 else ""
    return text if text and len(text) <= MAX_OBJECT_ID else None


def host_of_url(url: object) -> str | None:
    """host[:port] of an http(s) URL, lower-case, the scheme's own port left out; else None."""
    if not isinstance(url, str) or not url.isascii():  # lower() turns a Kelvin sign into a k
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = parts.netloc.lower()
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return None
    return host.removesuffix(":443" if parts.scheme == "https" else ":80")


def permalink(url: object, host: str) -> str | None:
    """`url` when it is a plain http(s) URL on that host, else None."""
    if host_of_url(url) != host or not isinstance(url, str) or len(url) > 1024:
        return None
    return url if url.isascii() and url.isprintable() and " " not in url else None


def header(headers: Mapping[str, str], *names: str) -> str:
    """The first of these headers that is there, or an empty text."""
    return next((headers[name] for name in names if headers.get(name)), "")
