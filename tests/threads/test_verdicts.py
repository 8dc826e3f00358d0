"""Verdicts: reports are kept as they came; of each commit and check the newest counts."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import delete

from switchboard.models import Delivery
from tests.threads.conftest import COMMIT, Filing
from tests.world import World


def shown(world: World, query: str = "") -> list[tuple[str, str, str]]:
    found = world.operator("GET", f"/verdicts{query}").json["verdicts"]
    return [(each["commit"][:7], each["name"], each["state"]) for each in found]


def test_a_verdict_is_told_whole(world: World, ci: Filing) -> None:
    link = "https://ci.example.org/runs/7"
    answer = ci.check("failure", url=link, summary="3 of 200 tests failed")
    assert [each["type"] for each in answer.json["artifacts"]] == ["verdict"]
    [verdict] = world.operator("GET", "/verdicts").json["verdicts"]
    assert verdict == {
        "id": answer.json["artifacts"][0]["id"],
        "repo": "acme/rocket",
        "commit": COMMIT,
        "name": "tests",
        "state": "failure",
        "url": link,
        "summary": "3 of 200 tests failed",
        "source": "ci",
        "delivery": answer.json["delivery"],
        "created_at": verdict["created_at"],
    }


def test_the_newest_of_a_commit_and_name_counts(world: World, ci: Filing) -> None:
    for state in ("queued", "running", "success"):
        ci.check(state)
    ci.check("failure", name="lint")
    ci.check("failure", commit="abcdef0")
    assert shown(world) == [
        ("abcdef0", "tests", "failure"),
        (COMMIT[:7], "lint", "failure"),
        (COMMIT[:7], "tests", "success"),
    ]


def test_they_are_found_by_repo_and_by_how_a_commit_begins(
    world: World, ci: Filing, subtests: pytest.Subtests
) -> None:
    moon = Filing(world, world.add_source("moon", "signed", repo="acme/moon", letters="k"))
    moon.check("error", commit="abcdef0123")
    ci.check("success", commit="abcdeff")
    ci.check("success", commit="abcf000")
    for query, commits in (
        ("?repo=acme/moon", ["abcdef0"]),
        ("?commit=abcdef", ["abcdeff", "abcdef0"]),
        ("?commit=ABCDEF&repo=acme/rocket", ["abcdeff"]),
        ("?commit=abcdeff", ["abcdeff"]),
        ("?commit=ffffff", []),
    ):
        with subtests.test(query):
            assert [commit for commit, _, _ in shown(world, query)] == commits


def test_they_come_in_pages(world: World, ci: Filing) -> None:
    for number in range(5):
        ci.check("success", name=f"n{number}")
        ci.check("failure", name=f"n{number}")
    names, after = [], ""
    while after is not None:
        page = world.operator("GET", f"/verdicts?limit=2{after and '&after=' + after}").json
        names += [(each["name"], each["state"]) for each in page["verdicts"]]
        after = page["next"]
    assert names == [(f"n{number}", "failure") for number in (4, 3, 2, 1, 0)]


def test_another_owners_are_not_there(world: World, ci: Filing, ben: Any) -> None:
    ci.check("success")
    assert ben("GET", "/verdicts").json["verdicts"] == []
    assert ben("GET", "/verdicts?repo=acme/rocket").status_code == 404


@pytest.mark.parametrize("commit", ["main", "abc", "a" * 65])
def test_a_commit_that_is_none_is_refused(world: World, commit: str) -> None:
    answer = world.operator("GET", f"/verdicts?commit={commit}")
    assert (answer.status_code, answer.json["field"]) == (422, "commit")


def test_a_verdict_outlives_its_delivery_and_names_it_no_more(world: World, ci: Filing) -> None:
    ci.check("success")
    with world.lib.db.write() as session:
        session.execute(delete(Delivery))
    [verdict] = world.operator("GET", "/verdicts").json["verdicts"]
    assert (verdict["state"], verdict["delivery"]) == ("success", None)
