"""The same delivery again: the original outcome, and nothing made twice."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.lib import clock
from switchboard.models import Delivery, DeliveryKey
from tests.world import World


def todos(world: World) -> int:
    return len(world.agent("GET", "/todos").json["todos"])


def test_a_repeat_is_answered_with_the_original_outcome(world: World) -> None:
    first = world.deliver(world.issue(1), id="one")
    again = world.deliver(world.issue(1), id="one")
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json == first.json | {"duplicate": True}
    assert todos(world) == 1


def test_a_repeat_counts_as_an_attempt_and_makes_no_row(world: World) -> None:
    world.deliver(world.issue(1), id="one")
    with world.lib.db.write() as session:
        session.execute(update(Delivery).values(last_attempt_at=clock.ago(5)))
    world.deliver(world.issue(1), id="one")
    [row] = world.log()
    assert (row["attempt"], row["count"]) == (2, 1)


def test_the_same_id_with_another_body_is_a_conflict(world: World) -> None:
    world.deliver(world.issue(1), id="one")
    answer = world.deliver(world.issue(2), id="one")
    assert (answer.status_code, answer.json["code"]) == (409, "delivery_conflict")
    assert world.log()[0]["code"] == "delivery_conflict"
    assert todos(world) == 1


def test_the_first_body_is_still_a_repeat_after_a_conflict(world: World) -> None:
    world.deliver(world.issue(1), id="one")
    world.deliver(world.issue(2), id="one")
    assert world.deliver(world.issue(1), id="one").status_code == 200


def test_the_same_body_and_event_under_a_new_id_makes_nothing(world: World) -> None:
    first = world.deliver(world.issue(1), id="one")
    replayed = world.deliver(world.issue(1), id="two")
    assert replayed.status_code == 200
    assert replayed.json["delivery"] == first.json["delivery"]
    assert todos(world) == 1


def test_a_captured_body_is_new_again_after_a_day(world: World) -> None:
    world.deliver(world.issue(1), id="one")
    with world.lib.db.write() as session:
        body_keys = DeliveryKey.key.like("body:%")
        session.execute(update(DeliveryKey).where(body_keys).values(expires_at=clock.ago(1)))
    assert world.deliver(world.issue(1), id="two").status_code == 202
    assert world.deliver(world.issue(1), id="one").status_code == 200


def test_the_same_body_as_another_event_is_another_delivery(world: World) -> None:
    assert world.deliver(world.issue(1), "issues").status_code == 202
    assert world.deliver(world.issue(1), "star").status_code == 202


@pytest.mark.setting(PAUSE_AFTER="3")
def test_a_captured_request_without_its_id_makes_nothing_and_pauses_nobody(world: World) -> None:
    first = world.deliver(world.issue(1)).json
    for _ in range(5):
        again = world.deliver(world.issue(1), headers={"X-GitHub-Delivery": None})
        assert (again.status_code, again.json) == (200, first | {"duplicate": True})
    assert world.deliver(world.issue(2)).status_code == 202


@pytest.mark.setting(PAUSE_AFTER="3")
def test_a_captured_request_under_anothers_id_pauses_nobody(world: World) -> None:
    world.deliver(world.issue(1), id="one")
    world.deliver(world.issue(2), id="two")
    for _ in range(5):
        assert world.deliver(world.issue(1), id="two").json["code"] == "delivery_conflict"
    assert world.deliver(world.issue(3)).status_code == 202


def test_two_sources_do_not_share_ids(world: World) -> None:
    assert world.deliver(world.issue(1), id="one").status_code == 202
    other = world.add_source("other")
    assert world.deliver(world.issue(1), id="one", source=other).status_code == 202
    assert todos(world) == 2


def test_a_repeat_of_a_refusal_gets_that_refusal(world: World, subtests: pytest.Subtests) -> None:
    for id, raw, code in (("a", b"hello", "invalid_json"), ("b", b"{}", "unmappable")):
        with subtests.test(code):
            first, again = world.deliver(raw, id=id), world.deliver(raw, id=id)
            assert (first.status_code, first.json["code"]) == (422, code)
            assert (again.status_code, again.json) == (422, first.json)
            assert again.mimetype == "application/problem+json"
    assert len(world.log()) == 2


def test_a_refusal_for_want_of_a_target_is_repeated_even_when_there_is_one_now(
    world: World,
) -> None:
    source = world.add_source("early")
    assert world.deliver(world.issue(1), id="one", source=source).json["code"] == "no_target"
    assert world.endpoint
    source_changes.edit(world.lib, Machine(), "early", {"to": ["fixer"]})
    assert world.deliver(world.issue(1), id="one", source=source).json["code"] == "no_target"
    assert world.deliver(world.issue(2), id="two", source=source).status_code == 202


def test_a_refusal_because_of_a_pause_may_be_tried_again(world: World) -> None:
    assert world.source
    source_changes.set_state(world.lib, Machine(), "octo", "paused")
    assert world.deliver(world.issue(1), id="one").status_code == 423
    source_changes.set_state(world.lib, Machine(), "octo", "active")
    assert world.deliver(world.issue(1), id="one").status_code == 202
