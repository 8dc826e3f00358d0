"""Valkey, a living worker, and Valkey's clock."""

from __future__ import annotations

from collections.abc import Iterator

from switchboard.cli.checks.finding import Finding
from switchboard.cli.checks.skew import of_clock
from switchboard.lib import clock, skew
from switchboard.lib.logs import redact
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.queue import last_worker_seen

WORKER_SECONDS = 60
START = "Start the box (python app.py), or a worker of this site"


def check(lib: Plumbing) -> Iterator[Finding]:
    """The findings on queue, worker and clock."""
    seconds = lib.valkey.attempt(skew.of_valkey)
    if seconds is None:
        where = redact(lib.settings.redis_url)
        advice = (
            "See that it runs and that SWITCHBOARD_REDIS_URL is right"
            if lib.settings["REDIS_URL"]
            else "Start the box: python app.py brings its own"
        )
        yield Finding("queue", "fail", f"no answer from {where}", advice)
        yield Finding("worker", "warn", "not known while the queue is away")
        return
    yield Finding("queue", "ok", "Valkey answers")
    seen = lib.valkey.attempt(last_worker_seen)
    if seen is None or seen < clock.ago(WORKER_SECONDS):
        found = f"the last was seen at {clock.iso(seen)}" if seen else "none was ever seen"
        yield Finding("worker", "fail", f"none in the last minute; {found}", START)
    else:
        yield Finding("worker", "ok", "one was seen in the last minute")
    yield of_clock("Valkey", seconds)
