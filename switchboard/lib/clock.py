"""The time: timezone-aware UTC everywhere, one place to ask."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

MOST_SECONDS = 10 * 365 * 86_400
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_DURATION = re.compile(r"([0-9]{1,9})([smhdw]?)", re.ASCII)


def now() -> datetime:
    """The current time, timezone-aware UTC."""
    return datetime.now(UTC)


def ago(seconds: float) -> datetime:
    """The time `seconds` before now."""
    return now() - timedelta(seconds=seconds)


def ahead(seconds: float) -> datetime:
    """The time `seconds` from now."""
    return now() + timedelta(seconds=seconds)


def iso(moment: datetime | None) -> str | None:
    """RFC 3339 in UTC with a `Z`, milliseconds kept; None stays None."""
    if moment is None:
        return None
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_in(text: str) -> int | None:
    """Seconds in `90`, `30s`, `15m`, `2h`, `30d` or `4w`; None when it is none of them."""
    found = _DURATION.fullmatch(text)
    return int(found[1]) * _UNITS[found[2]] if found else None


def moment(text: str) -> datetime:
    """A date, a date with time (UTC unless it says otherwise), or how long ago, as in `2h`.

    Raises ValueError saying what to give.
    """
    seconds = seconds_in(text)
    if seconds is not None and seconds <= MOST_SECONDS:
        return ago(seconds)
    try:
        given = datetime.fromisoformat(text)
        return given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise ValueError("give for example 2h, 7d, 2026-07-01 or 2026-07-01T12:00:00Z") from None
