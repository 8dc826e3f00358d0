"""The clock: `python -m jobs.cron` puts the periodic jobs on the queue.

The box starts one; a larger site runs one anywhere. A second does no harm: every sweep is a set of
conditional updates.
"""

from __future__ import annotations

import logging
import time
from contextlib import suppress

from redis.client import Pipeline
from redis.exceptions import RedisError
from rq.cron import CronScheduler
from rq.exceptions import StopRequested

from jobs import deliveries, mail, notify, outbox, replies, todos
from switchboard.box.memory import give_back
from switchboard.config import Settings, read_settings
from switchboard.lib import logs
from switchboard.lib.valkey import connect

log = logging.getLogger("jobs.cron")

SWEEPS = (replies.sweep, notify.sweep, outbox.sweep, mail.sweep, todos.reap, deliveries.judge)
RETENTION_EVERY_SECONDS = 3600
COUNT_EVERY_SECONDS = 300
TIMEOUT_SECONDS = 60
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 5.0


class Clock(CronScheduler):  # type: ignore[misc]
    """RQ's scheduler, which may also end while the queue is away."""

    def register_death(self, pipeline: Pipeline | None = None) -> None:
        """Take our entry off the queue; where that fails, it runs out by itself."""
        with suppress(RedisError):
            super().register_death(pipeline)


def clock(settings: Settings) -> Clock:
    """A clock that knows all periodic jobs; each runs at once and then again and again."""
    made = Clock(connect(settings.redis_url), logging_level=logging.WARNING)
    every = settings["SWEEP_SECONDS"]
    for sweep in SWEEPS:
        # One that no worker took up in time is dropped: the next is due.
        made.register(
            sweep, "default", interval=every, ttl=every, result_ttl=0, job_timeout=TIMEOUT_SECONDS
        )
    for job, seconds in (
        (deliveries.let_go, RETENTION_EVERY_SECONDS),
        (deliveries.count, COUNT_EVERY_SECONDS),
    ):
        made.register(
            job, "default", interval=seconds, ttl=seconds, result_ttl=0, job_timeout=seconds
        )
    return made


def main() -> None:
    """Run until a signal."""
    settings = read_settings()
    logs.configure(settings["LOG_FORMAT"])
    give_back()
    with suppress(StopRequested):
        _keep_going(settings)


def _keep_going(settings: Settings) -> None:
    """Until a signal; a queue that is away is tried again, more and more slowly."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        began = time.monotonic()
        try:
            clock(settings).start()
            return
        except RedisError as error:
            log.warning("waiting for the queue: %s", type(error).__name__)
        if time.monotonic() - began > LONGEST_PAUSE_SECONDS:
            pause = FIRST_PAUSE_SECONDS  # the queue had been there
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)


if __name__ == "__main__":
    main()
