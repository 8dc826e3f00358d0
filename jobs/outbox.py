"""Jobs of the outbox."""

from __future__ import annotations

from jobs import plumbing


def send(notice_id: str) -> None:
    """Send the message that a notice is part of, unless somebody has it already."""
    from switchboard.sinks.sending import send as send_message

    send_message(plumbing(), notice_id)


def sweep() -> None:
    """Ring for what is due, give up what a worker left behind, let old notices expire."""
    from switchboard.sinks.sweep import sweep as sweep_outbox

    sweep_outbox(plumbing())
