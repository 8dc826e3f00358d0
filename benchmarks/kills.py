"""The long run: 200 boxes killed under load, one after the other, on one data folder."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.table import Row
from tests.box import killing
from tests.box.conftest import quick_settings
from tests.standins.github import GitHubStandIn

ROUNDS = 200


def rows() -> list[Row]:
    """What was lost, doubled or left unsettled over all rounds."""
    with tempfile.TemporaryDirectory(prefix="sbk") as name, GitHubStandIn(delay_ms=30) as github:
        environ = quick_settings(Path(name) / "data", github) | {
            "SWITCHBOARD_REPLY_RATE": "0:1",
            "SWITCHBOARD_REPLY_WAIT_SECONDS": "0.2",
        }
        verdict = killing.run(environ, github, ROUNDS)
    return [
        _none("deliveries answered 2xx and lost", len(verdict.lost_deliveries), verdict.delivered),
        _none("replies accepted and lost", len(verdict.lost_replies), verdict.answered),
        _none("replies posted twice", len(verdict.posted_twice), verdict.answered),
        _none("replies `sent` and not posted", len(verdict.sent_but_not_posted), verdict.answered),
        _none("replies unsettled after 75 s", verdict.unsettled, verdict.answered),
    ]


def _none(what: str, found: int, of: int) -> Row:
    return Row(f"{what}, {ROUNDS} kills", str(found), f"{of} promised", "0", found == 0)
