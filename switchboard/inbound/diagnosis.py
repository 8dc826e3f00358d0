"""What is most likely wrong with a request that did not verify: for the record, never for the sender."""

from __future__ import annotations

from switchboard.errors import Unauthenticated
from switchboard.inbound.draft import Draft
from switchboard.lib.plumbing import Plumbing


def of(lib: Plumbing, draft: Draft, problem: Unauthenticated) -> str | None:
    """One sentence with the likely cause and its cure, or None when none was found."""
    return None
