"""The workers: `python -m jobs.worker` runs SWITCHBOARD_WORKERS of them on all queues.

The box starts this; a larger site runs it on as many machines as it likes. A queue that is away is
waited for: nothing here ends or spins because of it.
"""

from __future__ import annotations

import logging
import os
import signal
import time
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any

from redis.client import Pipeline
from redis.exceptions import RedisError
from rq import SimpleWorker, worker_registration
from rq.worker import DequeueStrategy
from rq.worker_pool import WorkerPool

from jobs import plumbing
from switchboard.box.forking import share
from switchboard.box.lifeline import die_with_parent
from switchboard.lib import logs
from switchboard.lib.queue import QUEUES
from switchboard.lib.valkey import connect

log = logging.getLogger("jobs.worker")

# What the jobs import late, so that whoever only names them stays small.
WORK = (
    "switchboard.replies.dial",
    "switchboard.replies.sweep",
    "switchboard.mail.process",
    "switchboard.notify.ringing",
    "switchboard.notify.sweep",
    "switchboard.todos.leases",
)
# Three heartbeats in the minute after which /readyz no longer believes in a worker.
HEARTBEAT_SECONDS = 20
LONGEST_PAUSE_SECONDS = 5.0


class Worker(SimpleWorker):  # type: ignore[misc]
    """RQ's worker without a fork a job: a job is one dial, and its timeout is its only hazard."""

    max_connection_wait_time = LONGEST_PAUSE_SECONDS
    _beat_at = -1.0  # when the last heartbeat of its own was, by the monotonic clock

    @property
    def dequeue_timeout(self) -> int:
        """How long one wait for a job lasts; a heartbeat follows each."""
        return HEARTBEAT_SECONDS

    def subscribe(self) -> None:
        """Take no commands by message: nobody sends any, and it would cost a thread."""

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """Say that this worker lives; on a queue that was flushed meanwhile, also who it is.

        RQ says so three times a job, in four calls each; once a second is enough of those.
        """
        if pipeline is None:
            if time.monotonic() < self._beat_at + 1.0:
                return
            self._beat_at = time.monotonic()
        super().heartbeat(timeout, pipeline)
        if pipeline is None and not self.connection.hexists(self.key, "birth"):
            self.connection.hset(self.key, mapping=self.serialize())
            worker_registration.register(self)


class Pool(WorkerPool):  # type: ignore[misc]
    """RQ's pool: keeps its number of workers alive, starting no more than those a second."""

    def get_worker_process(self, name: str, *_: Any, **__: Any) -> BaseProcess:
        """The process of one worker, forked from us with all modules loaded."""
        return get_context("fork").Process(target=_work, args=(name, os.getpid()))


def _work(name: str, pool: int) -> None:
    """One worker's life. It ends with the pool, at a signal, or when the queue has gone."""
    die_with_parent(pool)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)  # until the worker sets its own
    url = plumbing().settings.redis_url
    _wait_for(url)
    try:
        # RQ raises the timeouts of its connection, so it gets one that was not used yet.
        worker = Worker(QUEUES, name=name, connection=connect(url))
        # In turn: no flood on one queue keeps the sweeps on another waiting.
        worker.work(logging_level="WARNING", dequeue_strategy=DequeueStrategy.ROUND_ROBIN)
    except RedisError as error:
        log.warning("the queue went away (%s); the worker starts again", type(error).__name__)


def _wait_for(url: str) -> None:
    pause = 0.5
    while True:
        try:
            with connect(url) as connection:
                connection.ping()
            return
        except RedisError as error:
            log.warning("waiting for the queue: %s", type(error).__name__)
        time.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE_SECONDS)


def main() -> None:
    """Run the pool until a signal."""
    settings = plumbing().settings
    logs.configure(settings["LOG_FORMAT"])
    # Never used for a call here: each worker connects for itself.
    pool = Pool(QUEUES, connect(settings.redis_url), num_workers=settings["WORKERS"])
    share(plumbing(), WORK)
    pool.start(logging_level="WARNING")


if __name__ == "__main__":
    main()
