"""Where a delivery goes, and whether its answer may go back: targets and the human's pins."""

from __future__ import annotations

from switchboard.errors import Invalid
from switchboard.inbound.ack_store import FoundSource, Target
from switchboard.lib.text import admitted
from switchboard.providers.base import Address, Event


def targets(source: FoundSource) -> tuple[Target, ...]:
    """The live targets. Raises Invalid `no_target` when there is none."""
    if not source.targets:
        raise Invalid(
            "The source has no live endpoint to give work to. Add one, or route it to another.",
            "no_target",
        )
    return source.targets


def address_of(source: FoundSource, event: Event) -> Address | None:
    """The event's reply address if the source may speak for that repository, else None.

    A signature proves that the sender knows the secret, not that the repository in the body is his.
    """
    globs = source.repo_globs
    if event.address is None or not globs:
        return event.address
    return event.address if admitted(event.repo or "", globs) else None
