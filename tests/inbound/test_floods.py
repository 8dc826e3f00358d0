"""Floods: refusals fold into one row a minute, and a lane has its rate."""

from __future__ import annotations

import pytest

from tests.world import World

FORGED = {"X-Hub-Signature-256": "sha256=" + "0" * 64}


def test_more_than_60_refusals_a_minute_fold_into_one_row_with_a_count(world: World) -> None:
    for number in range(150):
        assert world.deliver(world.issue(number), headers=FORGED).status_code == 401
    rows = world.log()
    assert len(rows) <= 2 * 61  # the minute may turn on the way
    assert sum(row["count"] for row in rows) == 150


def test_requests_to_unknown_tokens_fold_together(world: World) -> None:
    assert world.operator_token
    for number in range(150):
        assert world.client.post(f"/hooks/unknown-{number}").status_code == 404
    rows = world.log()
    assert len(rows) <= 2 * 61
    assert sum(row["count"] for row in rows) == 150


def test_a_flood_at_one_source_leaves_the_others_rows_alone(world: World) -> None:
    for number in range(70):
        world.deliver(world.issue(number), headers=FORGED)
    other = world.add_source("other")
    world.deliver(world.issue(1), source=other, headers=FORGED)
    [row] = [row for row in world.log() if row["source"] == "other"]
    assert row["count"] == 1


def test_a_flood_does_not_stop_what_is_signed(world: World) -> None:
    for number in range(70):
        world.deliver(world.issue(number), headers=FORGED)
    assert world.deliver(world.issue(1)).status_code == 202
    assert world.log()[0]["status"] == "accepted"


@pytest.mark.setting(SOURCE_RATE="0.05:3")
def test_a_source_faster_than_its_lane_is_asked_to_wait(world: World) -> None:
    answers = [world.deliver(world.issue(number)) for number in range(5)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 429, 429]
    assert answers[3].json["code"] == "rate_limited"
    assert 15 <= int(answers[3].headers["Retry-After"]) <= 20
    assert answers[3].json["retry_after"] == int(answers[3].headers["Retry-After"])
    assert world.log()[0]["code"] == "rate_limited"


@pytest.mark.setting(SOURCE_RATE="0.05:1")
def test_a_stranger_cannot_spend_a_sources_rate(world: World) -> None:
    for number in range(5):
        assert world.deliver(world.issue(number), headers=FORGED).status_code == 401
    assert world.deliver(world.issue(1)).status_code == 202


@pytest.mark.setting(SOURCE_RATE="0.05:1")
def test_one_sources_rate_is_not_anothers(world: World) -> None:
    first, other = world.source, world.add_source("other")
    assert world.deliver(world.issue(1), source=first).status_code == 202
    assert world.deliver(world.issue(2), source=first).status_code == 429
    assert world.deliver(world.issue(1), source=other).status_code == 202


@pytest.mark.setting(SOURCE_RATE="2:1")
def test_after_its_wait_a_delivery_is_taken_under_the_same_id(world: World) -> None:
    assert world.deliver(world.issue(1), id="one").status_code == 202
    assert world.deliver(world.issue(2), id="two").status_code == 429
    with world.lib.valkey.client as client:
        client.flushall()
    assert world.deliver(world.issue(2), id="two").status_code == 202
