"""The queue as a doorbell: a job is a dotted name and an id, and losing one loses nothing.

The package never imports `jobs/`; it names the functions, and a test resolves every name.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime

from redis import Redis

from switchboard.lib.valkey import Valkey

log = logging.getLogger(__name__)

QUEUES = ("dial", "mail", "notify", "default")
FAILURE_TTL_SECONDS = 86_400


@dataclass(frozen=True)
class Job:
    """A job function by dotted name, the queue it runs on, and how long it may take (seconds)."""

    name: str
    queue: str
    timeout: int


DIAL_REPLY = Job("jobs.replies.dial", "dial", 45)
CALL_HOOK = Job("jobs.notify.call", "notify", 15)
SEND_MAIL = Job("jobs.outbox.send", "mail", 45)
SEND_NOTICE = Job("jobs.outbox.send", "notify", 45)
READ_MAIL = Job("jobs.mail.read", "mail", 60)
SEND_BOUNCE = Job("jobs.mail.bounce", "mail", 45)
JOBS = (DIAL_REPLY, CALL_HOOK, SEND_MAIL, SEND_NOTICE, READ_MAIL, SEND_BOUNCE)


def ring(valkey: Valkey, job: Job, row_id: str) -> bool:
    """Enqueue `job` for `row_id`. False when Valkey is away: the sweep will ring again."""
    return valkey.attempt(lambda client: _enqueue(client, job, row_id)) is not None


def _enqueue(client: Redis, job: Job, row_id: str) -> bool:
    from rq import Queue  # late: only processes that enqueue pay for it

    Queue(job.queue, connection=client).enqueue(
        job.name,
        row_id,
        job_timeout=job.timeout,
        result_ttl=0,
        failure_ttl=FAILURE_TTL_SECONDS,
    )
    return True


def last_worker_seen(client: Redis) -> datetime | None:
    """When any worker last sent its heartbeat, UTC; None without workers."""
    from rq import Worker

    beats = [worker.last_heartbeat for worker in Worker.all(connection=client)]
    known = [beat if beat.tzinfo else beat.replace(tzinfo=UTC) for beat in beats if beat]
    return max(known, default=None)
