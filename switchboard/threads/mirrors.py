"""Nothing is written into a thread that mirrors somebody else's history (docs/inbound.md)."""

from __future__ import annotations

from switchboard.errors import Invalid
from switchboard.models import Thread


def refuse_mirror(thread: Thread) -> None:
    """Raise Invalid `mirror_read_only` for a thread that mirrors another history."""
    if thread.mirror_of is not None:
        raise Invalid(
            f"This thread mirrors {thread.mirror_of} and takes no writes. Write there.",
            "mirror_read_only",
        )
