"""What the queue lost or a worker left behind. Conditional updates: two sweeps do no harm."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from switchboard.faults import book as faults
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.outbox import tell
from switchboard.sinks import outbox_store, token_store
from switchboard.sinks.sending import EXPIRE_SECONDS

RING_AT_ONCE = 500


@dataclass(frozen=True)
class Swept:
    """How many messages a sweep rang for, how many notices it called unknown, and let expire."""

    rung: int
    unknown: int
    expired: int


def sweep(lib: Plumbing) -> Swept:
    """Ring for what is due; settle what nobody will finish, let old news expire, tell of untold faults."""
    faults.tell_untold(lib)
    with lib.db.write() as session:
        now = clock.now()
        lost_before = clock.ago(lib.settings["UNKNOWN_AFTER_SECONDS"])
        unknown = outbox_store.lose_unfinished(session, lost_before, now)
        expired = outbox_store.expire(session, clock.ago(EXPIRE_SECONDS), now)
    with lib.db.read() as session:
        found = outbox_store.to_ring(session, clock.now(), RING_AT_ONCE)
    tell.ring(lib, [tell.Due(notice_id, kind) for notice_id, kind in found])
    return Swept(len(found), unknown, expired)


def let_go(lib: Plumbing, before: datetime, at_once: int) -> None:
    """Delete what was finished, and tokens that were over, before that, so many in one transaction."""
    oldest = ids.first_at("notice", before)
    while True:
        with lib.db.read() as session:
            old = outbox_store.finished_before(session, oldest, at_once)
            over = token_store.expired_before(session, before, at_once)
        if not old and not over:
            return
        with lib.db.write() as session:
            outbox_store.delete_these(session, old)
            token_store.delete_these(session, over)
