"""A source whose own deliveries are refused in a row pauses, and one that succeeds resumes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from sqlalchemy import update

from switchboard.access.principals import Machine
from switchboard.errors import Unavailable
from switchboard.inbound import source_changes
from switchboard.lib import clock
from switchboard.models import DeliveryKey
from switchboard.replies import echo
from tests.inbound.pausing import FORGED, fail, faults, probe_is_due, source, succeed
from tests.servers import Answer, Server, serve
from tests.world import World, sign


@pytest.fixture
def paused(world: World) -> World:
    """A world whose source failures have paused."""
    assert world.source and world.operator_token
    assert fail(world, 10) == [422] * 10
    assert source(world)["state"] == "paused"
    return world


# ── what pauses ──────────────────────────────────────────────────────────────────────────────────


def test_ten_refused_in_a_row_pause_the_source(world: World) -> None:
    assert fail(world, 10) == [422] * 10
    answer = world.deliver(world.issue(1))
    assert (answer.status_code, answer.json["code"]) == (423, "source_paused")
    found = source(world)
    assert (found["state"], found["paused_by"], found["failures"]) == ("paused", "failures", 10)
    assert world.log()[0]["code"] == "source_paused"


def test_its_pause_is_one_fault_that_tells_the_reason(paused: World) -> None:
    assert fail(paused, 5) == [423] * 5
    [fault] = faults(paused)
    assert fault["code"] == "source_paused"
    assert (fault["about"], fault["about_id"]) == ("Source octo", paused.source.source["id"])
    assert "10 deliveries in a row were refused" in fault["detail"]
    assert "not JSON" in fault["detail"]


def test_nine_do_not_pause_it(world: World) -> None:
    fail(world, 9)
    assert succeed(world) == 202
    assert source(world)["failures"] == 0
    assert faults(world) == []


def test_a_success_in_between_starts_the_count_anew(world: World) -> None:
    for _ in range(3):
        fail(world, 9)
        assert succeed(world) == 202
    assert source(world)["state"] == "active"


@pytest.mark.setting(PAUSE_AFTER="3")
def test_how_many_it_takes_is_a_setting(world: World) -> None:
    assert fail(world, 4) == [422, 422, 422, 423]


def test_another_source_goes_on(paused: World) -> None:
    other = paused.add_source("other", to=["fixer"])
    assert succeed(paused, source=other) == 202


@pytest.mark.setting(PAUSE_AFTER="2")
def test_each_kind_of_refusal_after_the_signature_counts(world: World) -> None:
    silent = world.add_source("silent", letters="", to=[f"{world.endpoint.endpoint['name']}"])
    assert world.deliver(world.issue(1), source=silent).status_code == 403
    assert world.deliver(world.issue(2), source=silent).status_code == 403
    assert source(world, "silent")["state"] == "paused"


# ── what does not ────────────────────────────────────────────────────────────────────────────────


def test_forged_requests_never_pause_it(world: World) -> None:
    for number in range(30):
        assert world.deliver(world.issue(number), headers=FORGED).status_code == 401
    assert succeed(world) == 202


def test_a_forged_request_does_not_start_the_count_anew(world: World) -> None:
    fail(world, 9)
    world.deliver(world.issue(1), headers=FORGED)
    assert fail(world, 2) == [422, 423]


def test_a_refused_delivery_sent_again_counts_once(world: World) -> None:
    for _ in range(12):
        assert fail(world, id="same") == [422]
    assert source(world)["failures"] == 1


def test_a_repeat_of_an_accepted_one_is_no_success(world: World) -> None:
    assert succeed(world, id="one") == 202
    fail(world, 9)
    assert succeed(world, id="one") == 200
    assert fail(world, 2) == [422, 423]


@pytest.mark.setting(PAUSE_AFTER="2", SOURCE_RATE="0.01:1")
def test_what_is_over_its_lane_does_not_count(world: World) -> None:
    assert succeed(world) == 202
    assert fail(world, 5) == [429] * 5
    assert source(world)["failures"] == 0


@pytest.mark.setting(PAUSE_AFTER="2")
def test_a_failure_of_ours_does_not_count(world: World) -> None:
    assert world.source
    with storage_away():
        assert [succeed(world) for _ in range(4)] == [503] * 4
    assert succeed(world) == 202


@pytest.mark.setting(PAUSE_AFTER="2")
def test_a_generic_sources_bad_bodies_do_not_count(world: World) -> None:
    generic = world.add_source("cron", "generic", to=[world.endpoint.endpoint["name"]])
    answers = [world.send(generic, b"no %d" % n).status_code for n in range(5)]
    assert answers == [422] * 5
    assert source(world, "cron")["failures"] == 0


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
UNFIT = ("pull_request", "pull_request_review", "pull_request_review_comment")  # no issue is one


def form(world: World) -> bytes:
    return urlencode({"payload": json.dumps(world.issue(1))}).encode()


def capture(world: World) -> None:
    """An honest delivery, which somebody reads on its way."""
    assert world.deliver(form(world), headers=FORM).status_code == 202


def misuse(world: World) -> list[int]:
    """He sends it again and again under other events and as what it is not; the answers' statuses."""
    as_json = [world.deliver(form(world), f"evt_{number}") for number in range(12)]
    as_others = [world.deliver(form(world), event, headers=FORM) for event in UNFIT]
    return [answer.status_code for answer in as_json + as_others]


def test_a_captured_body_under_other_events_pauses_nobody(world: World) -> None:
    capture(world)
    assert misuse(world) == [422] * 15
    assert (source(world)["state"], source(world)["failures"]) == ("active", 0)


@pytest.mark.setting(PAUSE_AFTER="2")
def test_a_captured_body_that_was_refused_counts_once(world: World) -> None:
    assert fail(world, id="bad") == [422]
    for number in range(5):
        assert world.deliver(b"no JSON", f"evt_{number}").status_code == 422
    assert source(world)["failures"] == 1


@pytest.mark.setting(PAUSE_AFTER="2")
def test_a_body_captured_days_ago_counts_no_more_than_a_fresh_one(world: World) -> None:
    capture(world)
    with world.lib.db.write() as session:
        session.execute(update(DeliveryKey).values(expires_at=clock.ago(86_400)))
    assert misuse(world) == [422] * 15
    assert source(world)["failures"] == 0


@pytest.mark.setting(PAUSE_AFTER="2")
def test_the_same_body_at_another_source_counts_there(world: World) -> None:
    assert world.deliver(world.issue(1)).status_code == 202
    other = world.add_source("other", to=["fixer"])
    assert world.deliver(world.issue(1), "pull_request", source=other).status_code == 422
    assert source(world, "other")["failures"] == 1


def test_what_a_paused_source_is_sent_does_not_count(world: World) -> None:
    assert world.source
    source_changes.set_state(world.lib, Machine(), "octo", "paused")
    assert fail(world, 12) == [423] * 12
    assert source(world)["failures"] == 0
    assert faults(world) == []


# ── being tried out ──────────────────────────────────────────────────────────────────────────────


def seconds_to_probe(world: World) -> float:
    probe_at = datetime.fromisoformat(source(world)["probe_at"])
    return (probe_at - clock.now()).total_seconds()


def test_it_is_tried_out_a_quarter_of_an_hour_later(paused: World) -> None:
    assert 880 < seconds_to_probe(paused) <= 900
    assert succeed(paused) == 423


def test_one_that_succeeds_resumes_it_and_clears_the_fault(paused: World) -> None:
    probe_is_due(paused)
    assert succeed(paused) == 202
    found = source(paused)
    assert (found["state"], found["paused_by"], found["probe_at"]) == ("active", None, None)
    assert found["failures"] == 0
    assert faults(paused) == []
    [fault] = faults(paused, "cleared")
    assert fault["cleared_at"] is not None
    assert succeed(paused) == 202


def test_one_that_fails_keeps_it_paused_for_another_quarter_of_an_hour(paused: World) -> None:
    probe_is_due(paused)
    assert fail(paused, 3) == [422, 423, 423]
    assert 880 < seconds_to_probe(paused) <= 900
    assert len(faults(paused)) == 1


def test_it_may_be_paused_again_with_a_fault_of_its_own(paused: World) -> None:
    probe_is_due(paused)
    assert succeed(paused) == 202
    assert fail(paused, 11) == [422] * 10 + [423]
    assert len(faults(paused)) == len(faults(paused, "cleared")) == 1


def test_a_repeat_leaves_the_turn_to_the_next(world: World) -> None:
    assert succeed(world, id="one") == 202
    fail(world, 10)
    probe_is_due(world)
    assert succeed(world, id="one") == 200
    assert source(world)["state"] == "paused"
    assert succeed(world) == 202
    assert source(world)["state"] == "active"


def test_a_repeat_of_a_refusal_leaves_the_turn_to_the_next(world: World) -> None:
    assert fail(world, id="bad") == [422]
    fail(world, 9)
    probe_is_due(world)
    assert fail(world, id="bad") == [422]
    assert succeed(world) == 202


@pytest.mark.setting(PAUSE_AFTER="2", SOURCE_RATE="0.01:2")
def test_one_over_its_lane_leaves_the_turn_to_the_next(world: World) -> None:
    assert fail(world, 2) == [422, 422]
    probe_is_due(world)
    assert succeed(world) == 429
    with world.lib.valkey.client as client:
        client.flushall()
    assert succeed(world) == 202
    assert source(world)["state"] == "active"


def test_a_failure_of_ours_leaves_the_turn_to_the_next(paused: World) -> None:
    probe_is_due(paused)
    with storage_away():
        assert succeed(paused) == 503
    assert succeed(paused) == 202


def test_a_forged_request_cannot_take_the_turn(paused: World) -> None:
    probe_is_due(paused)
    assert succeed(paused, headers=FORGED) == 401
    assert succeed(paused) == 202


def test_a_captured_body_cannot_take_the_turn(world: World) -> None:
    capture(world)
    fail(world, 10)
    probe_is_due(world)
    assert misuse(world) == [422] * 15
    assert succeed(world) == 202
    assert source(world)["state"] == "active"


def test_of_many_at_once_one_is_let_through(paused: World, environ: dict[str, str]) -> None:
    probe_is_due(paused)
    with serve(environ) as server:
        raw = [f"none either {number}".encode() for number in range(16)]
        assert statuses(at_once(server, paused, raw)) == {422: 1, 423: 15}
    assert source(paused)["failures"] == 11


# ── humans ───────────────────────────────────────────────────────────────────────────────────────


def test_a_human_resumes_it_which_clears_count_and_fault(paused: World) -> None:
    paused.operator("PATCH", "/sources/octo", {"state": "active"})
    assert faults(paused) == []
    assert source(paused)["failures"] == 0
    assert fail(paused, 9) == [422] * 9
    assert succeed(paused) == 202


def test_what_a_human_paused_is_not_tried_out(world: World) -> None:
    assert world.source
    source_changes.set_state(world.lib, Machine(), "octo", "paused")
    assert source(world)["probe_at"] is None
    assert succeed(world) == 423


def test_a_human_may_take_the_pause_over(paused: World) -> None:
    source_changes.set_state(paused.lib, Machine(), "octo", "paused")
    assert (source(paused)["paused_by"], source(paused)["probe_at"]) == ("human", None)
    assert succeed(paused) == 423
    assert faults(paused) == []  # it said that one is let through every 15 minutes


def test_a_source_that_is_revoked_leaves_no_fault(paused: World) -> None:
    source_changes.set_state(paused.lib, Machine(), "octo", "revoked")
    assert faults(paused) == []


# ── many processes ───────────────────────────────────────────────────────────────────────────────


def test_failures_among_successes_do_not_pause_it_on_two_processes(
    world: World, environ: dict[str, str]
) -> None:
    """Eight senders alternate: of all that arrive, never more than eight in a row are bad."""
    assert world.source
    good = [json.dumps(world.issue(number)).encode() for number in range(160)]

    def alternate(lane: int, server: Server) -> list[Answer]:
        mine = good[lane::8]
        return [
            send(server, world, raw) for n, each in enumerate(mine) for raw in (b"%d" % n, each)
        ]

    with serve(environ) as server, ThreadPoolExecutor(8) as pool:
        rounds = list(pool.map(lambda lane: alternate(lane, server), range(8)))
    found = statuses([answer for answers in rounds for answer in answers])
    assert found[202] == 160 and found[202] + found[422] == 320, found
    assert source(world)["state"] == "active"


def send(server: Server, world: World, raw: bytes) -> Answer:
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": f"{clock.now().isoformat()}-{id(raw)}",
        "X-Hub-Signature-256": sign(world.source.secret or "", raw),
    }
    return server.call("POST", urlsplit(world.source.source["ingest_url"]).path, raw, headers)


def at_once(server: Server, world: World, raw: list[bytes]) -> list[Answer]:
    with ThreadPoolExecutor(len(raw)) as pool:
        return list(pool.map(lambda each: send(server, world, each), raw))


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


@contextmanager
def storage_away() -> Iterator[None]:
    """Deliveries fail at us once they are verified."""

    def away(*_: Any) -> None:
        raise Unavailable("Away.", retry_after=1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(echo, "find", away)
        yield
