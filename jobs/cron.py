"""The clock: `python -m jobs.cron` puts the periodic jobs on the queue.

The box starts one; a larger site runs one anywhere. A second does no harm: every sweep is a set of
conditional updates.
"""

from __future__ import annotations

import logging
import time

from redis.exceptions import RedisError
from rq.cron import CronScheduler
from rq.exceptions import StopRequested

from jobs import replies, todos
from switchboard.config import Settings, read_settings
from switchboard.lib import logs
from switchboard.lib.valkey import connect

log = logging.getLogger(__name__)

SWEEPS = (replies.sweep, todos.reap)
TIMEOUT_SECONDS = 60
LONGEST_PAUSE_SECONDS = 5.0


def scheduler(settings: Settings) -> CronScheduler:
    """A scheduler that knows all periodic jobs; each runs at once and then every SWEEP_SECONDS."""
    made = CronScheduler(connect(settings.redis_url), logging_level=logging.WARNING)
    every = settings["SWEEP_SECONDS"]
    for sweep in SWEEPS:
        # One that no worker took up in time is dropped: the next is due.
        made.register(
            sweep, "default", interval=every, ttl=every, result_ttl=0, job_timeout=TIMEOUT_SECONDS
        )
    return made


def main() -> None:
    """Run until a signal. A queue that is away is tried again, more and more slowly."""
    settings = read_settings()
    logs.configure(settings["LOG_FORMAT"])
    pause = 0.5
    while True:
        began = time.monotonic()
        try:
            scheduler(settings).start()
            return
        except StopRequested:
            return
        except RedisError as error:
            log.warning("waiting for the queue: %s", type(error).__name__)
        if time.monotonic() - began > LONGEST_PAUSE_SECONDS:
            pause = 0.5  # it had been there
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)


if __name__ == "__main__":
    main()
