"""The time: timezone-aware UTC everywhere, one place to ask."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


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
