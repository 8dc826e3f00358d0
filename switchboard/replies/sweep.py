"""What the queue lost or a worker left behind. Single conditional updates: two sweeps do no harm."""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.lib import clock, queue
from switchboard.lib.plumbing import Plumbing
from switchboard.outbox import tell
from switchboard.replies import store, trouble

EXPIRE_SECONDS = 86_400
RING_AT_ONCE = 500


@dataclass(frozen=True)
class Swept:
    """How many replies a sweep rang for again, called unknown, and let expire."""

    rung: int
    unknown: int
    expired: int


def sweep(lib: Plumbing) -> Swept:
    """Ring again for replies nobody took up; settle those nobody will finish."""
    with lib.db.write() as session:
        now = clock.now()
        unknown = store.lose_unfinished(
            session, clock.ago(lib.settings["UNKNOWN_AFTER_SECONDS"]), now
        )
        expired = store.expire_unclaimed(session, clock.ago(EXPIRE_SECONDS), now)
        due = trouble.tell_of(session, [*unknown, *expired])
    tell.ring(lib, due)
    return Swept(_ring_again(lib), len(unknown), len(expired))


def _ring_again(lib: Plumbing) -> int:
    rung, after = 0, ""
    while True:
        with lib.db.read() as session:
            since = clock.ago(lib.settings["REQUEUE_AFTER_SECONDS"])
            due = store.due(session, clock.now(), since, after, RING_AT_ONCE)
        for reply_id in due:
            if not queue.ring(lib.valkey, queue.DIAL_REPLY, reply_id):
                return rung
            rung += 1
        if len(due) < RING_AT_ONCE:
            return rung
        after = due[-1]
