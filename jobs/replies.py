"""Jobs of replies."""

from __future__ import annotations

from jobs import plumbing


def dial(reply_id: str) -> None:
    """Post one reply, unless somebody else has taken it."""
    from switchboard.replies.dial import dial as dial_reply

    dial_reply(plumbing(), reply_id)


def sweep() -> None:
    """Ring again for what the queue lost; settle what a worker left behind."""
    from switchboard.replies.sweep import sweep as sweep_replies

    sweep_replies(plumbing())
