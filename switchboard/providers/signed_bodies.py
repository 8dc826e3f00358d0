"""What a `signed` source may say: a ticket, a comment, a check, or nothing but that it is there.

Every field is what docs/signing.md says it is, or the body is `unmappable` and the field is named.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from switchboard.lib.text import clean, one_line
from switchboard.providers.base import Check, Event, Remark, Ticket
from switchboard.providers.reading import MAX_TITLE, event_name, positive, unmappable

MAX_BODY_BYTES = 32 * 1024
MAX_SUMMARY_BYTES = 4 * 1024
MAX_NAME, MAX_URL = 128, 1024
MAX_LABELS, MAX_LABEL = 20, 50
STATES = ("queued", "running", "success", "failure", "error", "cancelled")
PING = "ping"

_COMMIT = re.compile(r"[0-9a-f]{7,64}", re.ASCII | re.IGNORECASE)
_BREAKING = ("Cc", "Cs", "Zl", "Zp")  # control characters, lone surrogates, line separators


def understand(body: Any) -> Event:
    """The body as an event. Raises Invalid `unmappable`."""
    if not isinstance(body, dict):
        raise unmappable("object at the top")
    kind = event_name(body.get("kind"))
    if kind not in _READERS:
        raise unmappable("kind")
    return _READERS[kind](body)


def _ping(_body: dict[str, Any]) -> Event:
    return Event(PING, "Test message", letter=None)


def _ticket(body: dict[str, Any]) -> Event:
    title = _line(body, "title", MAX_TITLE)
    ticket = Ticket(title, _text(body, "body", MAX_BODY_BYTES), _labels(body))
    return Event("ticket", title, letter="n", artifact=ticket)


def _comment(body: dict[str, Any]) -> Event:
    number = positive(body.get("ticket"))
    if number is None:
        raise unmappable("ticket")
    words = _text(body, "body", MAX_BODY_BYTES)
    title = one_line(words, MAX_TITLE)
    if not title:
        raise unmappable("body")
    return Event("comment", title, f"#{number}", "c", artifact=Remark(number, words))


def _checks(body: dict[str, Any]) -> Event:
    commit, name, state = body.get("commit"), _line(body, "name", MAX_NAME), body.get("state")
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        raise unmappable("commit")
    if state not in STATES:
        raise unmappable("state")
    check = Check(
        commit=commit.lower(),
        name=name,
        state=state,
        url=_url(body),
        summary=_text(body, "summary", MAX_SUMMARY_BYTES) or None,
    )
    return Event("checks", f"{name}: {state}", check.commit[:12], "k", artifact=check)


_READERS: dict[str | None, Callable[[dict[str, Any]], Event]] = {
    PING: _ping,
    "ticket": _ticket,
    "comment": _comment,
    "checks": _checks,
}


def _line(body: dict[str, Any], name: str, most: int) -> str:
    """A text of one line, 1 to `most` characters once trimmed."""
    return _one_line(body.get(name), name, most)


def _one_line(value: object, name: str, most: int) -> str:
    text = value.strip() if isinstance(value, str) else ""
    broken = any(unicodedata.category(character) in _BREAKING for character in text)
    shown = one_line(text, most)  # what turns the reading direction, say, becomes a space
    if len(text) > most or broken or not shown:
        raise unmappable(name)
    return shown


def _text(body: dict[str, Any], name: str, most: int) -> str:
    """A text of up to `most` bytes in UTF-8, which may be left out."""
    value = body.get(name)
    if value is None:
        return ""
    if not isinstance(value, str) or len(value.encode("utf-8", "replace")) > most:
        raise unmappable(name)
    return clean(value)


def _labels(body: dict[str, Any]) -> tuple[str, ...]:
    value = body.get("labels")
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_LABELS:
        raise unmappable("labels")
    return tuple(dict.fromkeys(_one_line(each, "labels", MAX_LABEL) for each in value))


def _url(body: dict[str, Any]) -> str | None:
    """An http(s) address that a page may link to: printable ASCII, nobody's name or password in it."""
    value = body.get("url")
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_URL or not _is_link(value):
        raise unmappable("url")
    return value


def _is_link(text: str) -> bool:
    if not (text.isascii() and text.isprintable()) or " " in text:
        return False
    try:
        parts = urlsplit(text)
        port_is_fine = parts.port != 0
    except ValueError:
        return False
    known = parts.scheme in ("http", "https") and bool(parts.hostname)
    return known and port_is_fine and "@" not in parts.netloc and "\\" not in text
