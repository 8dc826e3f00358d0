"""How values read on a page: times, durations, sizes, and every state as a word and a colour."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from flask import Flask
from markupsafe import Markup

from switchboard.access import ceilings
from switchboard.inbound import deliveries
from switchboard.lib import clock
from switchboard.lib.text import clean

MINUTE, HOUR, DAY = 60, 3_600, 86_400

# Green, amber, red, grey and the accent mean the same everywhere: accepted, refused, failed,
# duplicate or dropped, and under way.
_TONES = {
    "good": {"accepted", "made", "sent", "done", "active", "works", "success", "read", "answered"},
    "warn": {"refused", "unknown", "paused", "expired", "closed", "unadopted"},
    "bad": {"failed", "dead letter", "fails", "failure", "error"},
    "busy": {"claimed", "pending", "open", "queued", "running", "waiting", "delivered", "asked"},
}


def tone(word: str) -> str:
    """The colour's name for a state's word; grey for whatever is over or never happened."""
    return next((name for name, words in _TONES.items() if word in words), "quiet")


def pill(word: str) -> Markup:
    """A state: its mark, its colour and always its word."""
    return Markup('<span class="state {}">{}</span>').format(tone(word), word)


def ago(moment: str | datetime | None) -> Markup:
    """A `<time>` that reads as `3 min ago` or `in 5 min`, the exact time on hover."""
    if moment is None:
        return Markup('<span class="never">never</span>')
    at = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    exact = at.strftime("%Y-%m-%d %H:%M:%S UTC")
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        clock.iso(at), exact, _relative((clock.now() - at).total_seconds(), at)
    )


def _relative(seconds: float, at: datetime) -> str:
    size = abs(seconds)
    if size < 10:
        return "just now" if seconds >= 0 else "in a moment"
    if size >= 30 * DAY:
        return at.strftime("%-d %b %Y")
    for unit, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (1, "s")):
        if size >= unit:
            count = f"{int(size // unit)} {name}"
            break
    return f"{count} ago" if seconds >= 0 else f"in {count}"


def exact(moment: str) -> str:
    """A moment to the second, in UTC."""
    return datetime.fromisoformat(moment).strftime("%Y-%m-%d %H:%M:%S UTC")


def duration(milliseconds: int) -> str:
    """`12 ms` or `1.2 s`."""
    return f"{milliseconds} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def size(count: int) -> str:
    """Bytes as `512 B`, `7.1 KiB` or `2.0 MiB`."""
    if count < 1024:
        return f"{count} B"
    if count < 1024 * 1024:
        return f"{count / 1024:.1f} KiB"
    return f"{count / 1024 / 1024:.1f} MiB"


def counted(count: int, noun: str) -> str:
    """`1 todo`, `2 todos`, `2 replies`."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}".replace(",", " ")


def times(count: int) -> str:
    """`once`, `twice`, `3 times`."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def pretty(value: Any) -> str:
    """JSON, indented."""
    return clean(json.dumps(value, indent=2, ensure_ascii=False))


def owner(label: dict[str, str] | None) -> str:
    """An owner's name."""
    return next(iter(label.values()), "") if label else ""


def register(app: Flask) -> None:
    """Give the templates these words."""
    app.jinja_env.filters.update(
        ago=ago,
        ceiling=ceilings.in_words,
        counted=counted,
        duration=duration,
        exact=exact,
        owner=owner,
        pill=pill,
        pretty=pretty,
        pretty_body=deliveries.pretty,
        size=size,
        times=times,
        tone=tone,
    )
