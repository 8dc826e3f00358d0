"""One lane a source: a token bucket shared by all processes, charged after verification.

Charged any earlier, a stranger who knows the URL could spend a real sender's budget.
"""

from __future__ import annotations

from switchboard.errors import RateLimited
from switchboard.lib.plumbing import Plumbing


def charge(lib: Plumbing, source_id: str) -> None:
    """Take one token of the source's lane. Raises RateLimited with when to come back."""
    wait = lib.buckets.take(f"source:{source_id}", lib.settings["SOURCE_RATE"])
    if wait:
        raise RateLimited("This source sends faster than its lane allows.", retry_after=wait)
