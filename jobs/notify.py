"""Jobs of notify hooks."""

from __future__ import annotations

from jobs import plumbing


def call(call_id: str) -> None:
    """Begin one call of a hook, unless somebody else has; it goes on in a thread."""
    from switchboard.notify.ringing import take_up

    take_up(plumbing(), call_id)


def sweep() -> None:
    """Ring for what is due; take back what a worker left behind; let old bells expire."""
    from switchboard.notify.sweep import sweep as sweep_calls

    sweep_calls(plumbing())
