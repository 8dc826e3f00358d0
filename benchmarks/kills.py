"""The long run: boxes killed under load, 200 times one on SQLite and 200 times one of two on Postgres.

BENCH_KILLS makes it shorter.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.table import Row
from tests import backends
from tests.box import killing
from tests.box.conftest import busy_settings, shared_settings
from tests.box.killing import Verdict
from tests.standins.github import GitHubStandIn

ROUNDS = int(os.environ.get("BENCH_KILLS", "200"))


def rows(valkey: str) -> list[Row]:
    """What was lost, doubled or left unsettled over all rounds."""
    return [*_one_box(), *_two_boxes(valkey)]


def _one_box() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="sbk") as name, GitHubStandIn(delay_ms=30) as github:
        environ = busy_settings(Path(name) / "data", github)
        return _told("one box on SQLite", killing.run([environ], github, ROUNDS))


def _two_boxes(valkey: str) -> list[Row]:
    with (
        tempfile.TemporaryDirectory(prefix="sbk") as name,
        GitHubStandIn(delay_ms=30) as github,
        backends.postgres(durable=True) as postgres,
        postgres.fresh() as url,
    ):
        environs = shared_settings(Path(name), github, url, valkey)
        verdict = killing.run(environs, github, ROUNDS, victims=killing.WITHOUT_VALKEY)
        return _told("two boxes on one Postgres", verdict)


def _told(where: str, verdict: Verdict) -> list[Row]:
    found = {
        "deliveries answered 2xx and lost": (len(verdict.lost_deliveries), verdict.delivered),
        "replies accepted and lost": (len(verdict.lost_replies), verdict.answered),
        "replies posted twice": (len(verdict.posted_twice), verdict.answered),
        "replies `sent` and not posted": (len(verdict.sent_but_not_posted), verdict.answered),
        "replies unsettled after 75 s": (verdict.unsettled, verdict.answered),
    }
    return [
        Row(f"{what}, {ROUNDS} kills, {where}", str(count), f"{of} promised", "0", count == 0)
        for what, (count, of) in found.items()
    ]
