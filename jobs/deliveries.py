"""Jobs of deliveries."""

from __future__ import annotations

from jobs import plumbing


def let_go() -> None:
    """Delete what is older than the retention."""
    from switchboard.inbound.retention import sweep

    sweep(plumbing())


def count() -> None:
    """Count the hours that are over, for the sources' days."""
    from switchboard.inbound.activity import tally

    tally(plumbing())


def judge() -> None:
    """Raise and clear what the record says of sources that refuse everything."""
    from switchboard.inbound.health import sweep

    sweep(plumbing())
