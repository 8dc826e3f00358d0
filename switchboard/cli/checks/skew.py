"""How a clock that differs from ours is judged."""

from __future__ import annotations

from switchboard.cli.checks.finding import Finding

# Signed timestamps are good for 300 s, leases and sweeps count in tens of seconds.
NOTABLE_SECONDS, HARMFUL_SECONDS = 5.0, 60.0


def of_clock(whose: str, seconds: float) -> Finding:
    """A finding on a clock that is `seconds` ahead of ours."""
    size = abs(seconds)
    if size <= NOTABLE_SECONDS:
        return Finding("clock", "ok", f"{whose} and this machine agree on the time")
    found = f"{whose} is {size:.0f} s {'ahead of' if seconds > 0 else 'behind'} this machine"
    state = "warn" if size <= HARMFUL_SECONDS else "fail"
    return Finding("clock", state, found, "Keep both on time, with NTP or chrony")
