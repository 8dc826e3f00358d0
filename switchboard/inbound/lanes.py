"""One lane a source: a token bucket shared by all processes, charged after verification.

Charged any earlier, a stranger who knows the URL could spend a real sender's budget. What comes faster
than the lane's rate, whoever sends it, is answered and then read on without haste: a burst is taken,
and so is a storm, but neither at the cost of the neighbours.
"""

from __future__ import annotations

from switchboard.errors import RateLimited
from switchboard.inbound.draft import Draft
from switchboard.lib.pacing import Speeds
from switchboard.lib.plumbing import Plumbing


def charge(lib: Plumbing, draft: Draft) -> None:
    """Take one token of the source's lane, once a request. Raises RateLimited with when to come back."""
    if draft.charged:
        return
    assert draft.source is not None
    wait = lib.buckets.take(f"source:{draft.source.id}", lib.settings["SOURCE_RATE"])
    if wait:
        raise RateLimited("This source sends faster than its lane allows.", retry_after=wait)
    draft.charged = True


def hurries(lib: Plumbing, source_id: str | None) -> bool:
    """Whether more came for this source in this second than its lane's rate; None: for none we know."""
    per_second, _ = lib.settings["SOURCE_RATE"]
    return bool(per_second) and lib.own(Speeds).seen(source_id) > per_second
