"""The signature schemes: HMAC-SHA256 over the raw body, with or without a time in it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from switchboard.errors import Unauthenticated
from switchboard.lib.crypto import hmac_sha256, same

WINDOW = timedelta(seconds=300)
SEEN_SECONDS = 600  # how long a timed signature tells a repeat: the window either way
_LATEST = 253_402_300_799  # the last second a datetime can say


def missing_signature(header: str) -> Unauthenticated:
    """The refusal of a request without the header that signs it."""
    return Unauthenticated(f"The {header} header is missing.", "missing_signature", field=header)


def bad_signature(header: str) -> Unauthenticated:
    """The refusal of a signature that no good secret makes."""
    return Unauthenticated(
        f"The {header} header does not match the body and the source's secret.",
        "bad_signature",
        field=header,
    )


def hex_hmac(secret: str, signed: bytes) -> str:
    """HMAC-SHA256 under the secret's own bytes, in lower-case hex."""
    return hmac_sha256(secret, signed).hex()


def check_any(header: str, given: str, wanted: Iterable[str]) -> None:
    """Raise Unauthenticated unless `given` is one of `wanted`, in constant time.

    Compares bytes, as a header may hold any character.
    """
    said = given.encode("utf-8", "replace")
    good = [same(said, each.encode()) for each in wanted]
    if not any(good):
        raise bad_signature(header)


def check_time(header: str, moment: datetime, now: datetime) -> None:
    """Raise Unauthenticated `stale_timestamp` unless `moment` is within 300 s of now, either way."""
    off = round((now - moment).total_seconds())
    if abs(now - moment) > WINDOW:
        late = f"{abs(off)} seconds {'old' if off > 0 else 'in the future'}"
        raise Unauthenticated(
            f"The signed time is {late}; it may be up to {WINDOW.seconds} off.",
            "stale_timestamp",
            field=header,
        )


def unreadable_time(header: str) -> Unauthenticated:
    """The refusal of a signed time that is none."""
    return Unauthenticated(
        f"The {header} header is not a time in whole unix seconds (not milliseconds, no fraction).",
        "bad_signature",
        field=header,
    )


def unix_time(text: str) -> datetime | None:
    """Unix seconds as a header says them, or None."""
    if not (text.isascii() and text.isdigit() and len(text) <= 12) or int(text) > _LATEST:
        return None
    return datetime.fromtimestamp(int(text), UTC)
