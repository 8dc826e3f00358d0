"""What the queue lost, a worker left behind, or nobody waits for. Conditional updates: two do no harm."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from switchboard.lib import clock, ids, queue
from switchboard.lib.plumbing import Plumbing
from switchboard.notify import health, store
from switchboard.notify.ringing import ATTEMPTS

LOST_SECONDS = 30
EXPIRE_SECONDS = 3600


@dataclass(frozen=True)
class Swept:
    """How many hooks a sweep rang for, how many calls it took back or gave up, and let expire."""

    rung: int
    taken_back: int
    lost: int
    expired: int


def sweep(lib: Plumbing) -> Swept:
    """Ring for what is due; take back what was begun and never finished; let old bells expire.

    And say which hooks keep failing.
    """
    with lib.db.write() as session:
        now, lost_before = clock.now(), clock.ago(LOST_SECONDS)
        lost = store.lose_last(session, lost_before, ATTEMPTS, now)
        taken_back = store.take_back(session, lost_before, now)
        expired = store.expire(session, clock.ago(EXPIRE_SECONDS), now)
    health.judge(lib)
    return Swept(_ring(lib), taken_back, lost, expired)


def _ring(lib: Plumbing) -> int:
    """Once for each hook: whoever makes its oldest call makes the others that are due."""
    with lib.db.read() as session:
        due = store.due(session, clock.now())
    for rung, call_id in enumerate(due):
        if not queue.ring(lib.valkey, queue.CALL_HOOK, call_id):
            return rung
    return len(due)


def let_go(lib: Plumbing, before: datetime, at_once: int) -> None:
    """Delete finished calls older than that, so many in one transaction."""
    oldest = ids.first_at("hook_call", before)
    while True:
        with lib.db.read() as session:
            old = store.finished_before(session, oldest, at_once)
        if not old:
            return
        with lib.db.write() as session:
            store.delete_these(session, old)
