"""Jobs of todos."""

from __future__ import annotations

from jobs import plumbing


def reap() -> None:
    """Take back todos whose lease ran out."""
    from switchboard.todos.leases import reap as reap_leases

    reap_leases(plumbing())
