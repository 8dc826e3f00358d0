"""SIGKILL at any moment: nothing answered 2xx is missing, nothing is posted twice, all settles.

One box on SQLite, and two on one Postgres and one Valkey, of which one dies while the other goes on.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.backends import Postgres
from tests.box import killing
from tests.box.conftest import busy_settings, shared_settings
from tests.box.killing import Verdict
from tests.once import once
from tests.standins.github import GitHubStandIn

ROUNDS = 3


@pytest.fixture(scope="module", params=["one box", "two boxes on one Postgres"])
def verdict(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    folder: Path = tmp_path_factory.mktemp("killed")
    if request.param == "one box":
        return once(tmp_path_factory, request.param, lambda: _one_box(folder))
    postgres: Postgres = request.getfixturevalue("postgres")
    valkey: str = request.getfixturevalue("valkey_url")
    return once(tmp_path_factory, request.param, lambda: _two_boxes(folder, postgres, valkey))


def _one_box(folder: Path) -> Verdict:
    with GitHubStandIn(delay_ms=30) as github:
        environs = [busy_settings(folder / "data", github)]
        return killing.run(environs, github, ROUNDS, settle_seconds=40)


def _two_boxes(folder: Path, postgres: Postgres, valkey: str) -> Verdict:
    with GitHubStandIn(delay_ms=30) as github, postgres.fresh() as url:
        environs = shared_settings(folder, github, url, valkey)
        return killing.run(
            environs, github, ROUNDS, victims=killing.WITHOUT_VALKEY, settle_seconds=40
        )


def test_the_rounds_did_what_they_should(verdict: Verdict) -> None:
    assert verdict.delivered > 20 * ROUNDS
    assert verdict.answered > ROUNDS


def test_no_delivery_that_was_answered_is_missing(verdict: Verdict) -> None:
    assert verdict.lost_deliveries == set()


def test_every_delivery_has_one_todo(verdict: Verdict) -> None:
    assert verdict.todos_beside_one_a_delivery == 0


def test_no_reply_that_was_accepted_is_missing(verdict: Verdict) -> None:
    assert verdict.lost_replies == set()


def test_nothing_was_posted_twice(verdict: Verdict) -> None:
    assert verdict.posted_twice == {}


def test_what_is_called_sent_was_posted(verdict: Verdict) -> None:
    assert verdict.sent_but_not_posted == set()


def test_every_reply_settled(verdict: Verdict) -> None:
    assert verdict.unsettled == 0
