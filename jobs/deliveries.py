"""Jobs of deliveries."""

from __future__ import annotations

from jobs import plumbing


def let_go() -> None:
    """Delete what is older than the retention."""
    from switchboard.inbound.retention import sweep

    sweep(plumbing())
