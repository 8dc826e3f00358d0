"""Mail that the queue lost, or whose worker was killed: it is rung for again. Two sweeps do no harm."""

from __future__ import annotations

from datetime import datetime, timedelta

from switchboard.lib import clock, ids, queue
from switchboard.lib.plumbing import Plumbing
from switchboard.mail import store

RING_AT_ONCE = 200


def sweep(lib: Plumbing) -> int:
    """Ring for messages that nobody has read and bounces that nobody has sent; how many there were.

    Bounces that are older than the retention go.
    """
    before = clock.now() - timedelta(seconds=lib.settings["REQUEUE_AFTER_SECONDS"])
    with lib.db.write() as session:
        store.lose_bounces(session, clock.ago(lib.settings["UNKNOWN_AFTER_SECONDS"]))
        store.delete_bounces(session, ids.first_at("mail_bounce", _kept_since(lib)))
    with lib.db.read() as session:
        mails = store.waiting(session, ids.first_at("mail", before), RING_AT_ONCE)
        bounces = store.bounces_to_ring(session, ids.first_at("mail_bounce", before), RING_AT_ONCE)
    for job, found in ((queue.READ_MAIL, mails), (queue.SEND_BOUNCE, bounces)):
        for row_id in found:
            if not queue.ring(lib.valkey, job, row_id):
                return len(mails) + len(bounces)
    return len(mails) + len(bounces)


def _kept_since(lib: Plumbing) -> datetime:
    return clock.now() - timedelta(days=lib.settings["RETENTION_DAYS"])
