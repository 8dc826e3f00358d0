"""A todo's life over HTTP: listed, claimed, kept alive, finished, given back, given up."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from switchboard.lib import clock
from switchboard.models import Todo
from switchboard.todos import leases
from tests.world import World

TODO = {
    "id", "queue", "state", "attempt", "title", "source", "kind", "subject", "reply_to", "replies",
    "thread", "payload", "lease_expires_at", "created_at",
}  # fmt: skip


def todo(world: World, number: int = 1) -> str:
    """A pending todo's id."""
    return world.deliver(world.issue(number)).json["todos"][0]["id"]


def act(world: World, id: str, verb: str, body: Any = None, **who: Any) -> Any:
    return world.agent("POST", f"/todos/{id}/{verb}", body, **who)


def seconds_until(moment: str) -> float:
    return (datetime.fromisoformat(moment) - datetime.now(UTC)).total_seconds()


def age(world: World, id: str, **values: Any) -> None:
    with world.lib.db.write() as session:
        row = session.get(Todo, id)
        assert row is not None
        for name, value in values.items():
            setattr(row, name, value)


def test_a_todo_has_its_exact_shape(world: World) -> None:
    id = todo(world, 7)
    found = world.agent("GET", f"/todos/{id}").json
    assert set(found) == TODO
    assert (found["id"], found["queue"], found["state"]) == (id, "default", "pending")
    assert (found["attempt"], found["source"], found["kind"]) == (0, "octo", "issues.opened")
    assert (found["subject"], found["title"]) == ("acme/rocket#7", "Something is wrong")
    assert found["payload"] == world.issue(7)
    assert found["replies"] == {"count": 0, "last_state": None, "last_permalink": None}
    assert found["thread"] is None
    assert found["lease_expires_at"] is None and found["created_at"].endswith("Z")


def test_the_list_is_oldest_first_and_paged(world: World) -> None:
    ids = [todo(world, number) for number in range(1, 4)]
    first = world.agent("GET", "/todos?limit=2").json
    second = world.agent("GET", f"/todos?limit=2&after={first['next']}").json
    assert [each["id"] for each in first["todos"]] == ids[:2]
    assert [each["id"] for each in second["todos"]] == ids[2:]
    assert second["next"] is None


def test_the_list_is_filtered_by_state_and_queue(world: World) -> None:
    todo(world, 1)
    todo(world, 2)
    world.claim()
    count = {
        query: len(world.agent("GET", f"/todos?{query}").json["todos"])
        for query in ("state=pending", "state=claimed", "state=done", "queue=default", "queue=x")
    }
    assert count == {
        "state=pending": 1, "state=claimed": 1, "state=done": 0, "queue=default": 2, "queue=x": 0,
    }  # fmt: skip


def test_a_bad_list_argument_is_refused(world: World, subtests: pytest.Subtests) -> None:
    for query in ["state=open", "limit=0", "limit=-1", "limit=x", "limit=1e3"]:
        with subtests.test(query=query):
            answer = world.agent("GET", f"/todos?{query}")
            assert (answer.status_code, answer.json["code"]) == (422, "invalid_argument")


def test_the_oldest_todo_is_claimed_first(world: World) -> None:
    ids = [todo(world, number) for number in range(1, 4)]
    claimed = [world.claim() for _ in range(3)]
    assert [each["id"] for each in claimed] == ids
    assert all((each["state"], each["attempt"]) == ("claimed", 1) for each in claimed)
    assert world.agent("POST", "/todos/claim-next").status_code == 204


def test_a_named_todo_is_claimed(world: World) -> None:
    _, second = todo(world, 1), todo(world, 2)
    assert act(world, second, "claim").json["state"] == "claimed"
    answer = act(world, second, "claim")
    assert (answer.status_code, answer.json["code"]) == (409, "conflict")


def test_a_lease_lasts_as_long_as_asked(world: World) -> None:
    id = todo(world)
    claimed = act(world, id, "claim", {"lease_seconds": 60}).json
    assert 50 < seconds_until(claimed["lease_expires_at"]) <= 60
    longer = act(world, id, "heartbeat", {"lease_seconds": 600}).json
    assert 590 < seconds_until(longer["lease_expires_at"]) <= 600


def test_a_bad_lease_is_refused(world: World, subtests: pytest.Subtests) -> None:
    id = todo(world)
    for seconds in [0, -1, 86_401, 10**30, "60", 1.5, True, [60]]:
        with subtests.test(seconds=seconds):
            answer = act(world, id, "claim", {"lease_seconds": seconds})
            assert (answer.status_code, answer.json["field"]) == (422, "lease_seconds")
    assert world.claim()["attempt"] == 1


def test_a_finished_todo_keeps_its_result(world: World) -> None:
    id = todo(world)
    world.claim()
    done = act(world, id, "complete", {"result": {"fixed": True, "commits": [1, "é\x00"]}}).json
    assert (done["state"], done["lease_expires_at"]) == ("done", None)
    whole = world.operator("GET", f"/todos/{id}").json
    assert whole["result"] == {"fixed": True, "commits": [1, "é"]}


@pytest.mark.parametrize("text", ["x" * 16_000, "é" * 8_000, "\U0001f680" * 4_000])
def test_a_result_may_have_16_kibibytes(world: World, text: str) -> None:
    id = todo(world)
    world.claim()
    assert act(world, id, "complete", {"result": text}).status_code == 200


def test_a_larger_result_is_refused_and_changes_nothing(world: World) -> None:
    id = todo(world)
    world.claim()
    for verb in ("complete", "fail"):
        answer = act(world, id, verb, {"result": "x" * 16_384})
        assert (answer.status_code, answer.json["field"]) == (422, "result")
    assert world.agent("GET", f"/todos/{id}").json["state"] == "claimed"


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail", "release"])
def test_a_todo_nobody_claimed_cannot_be_worked_on(world: World, verb: str) -> None:
    answer = act(world, todo(world), verb)
    assert (answer.status_code, answer.json["code"]) == (409, "not_claimed")


def test_a_released_todo_comes_back_at_once_and_burns_no_attempt(world: World) -> None:
    id = todo(world)
    world.claim()
    assert act(world, id, "release").json["state"] == "pending"
    assert world.claim()["attempt"] == 2
    assert world.operator("GET", f"/todos/{id}").json["failures"] == 0


@pytest.mark.parametrize("verb", ["heartbeat", "complete", "fail", "release"])
def test_who_names_an_attempt_that_is_over_has_lost_the_lease(world: World, verb: str) -> None:
    id = todo(world)
    world.claim()
    act(world, id, "release")
    world.claim()
    answer = act(world, id, verb, {"attempt": 1})
    assert (answer.status_code, answer.json["code"]) == (409, "lease_lost")
    assert act(world, id, verb, {"attempt": 2}).status_code == 200


@pytest.mark.parametrize("attempt", [10**30, -(10**30), 2**63])
def test_an_absurd_attempt_is_just_over(world: World, attempt: int) -> None:
    id = todo(world)
    world.claim()
    answer = act(world, id, "heartbeat", {"attempt": attempt})
    assert (answer.status_code, answer.json["code"]) in [
        (409, "lease_lost"),
        (422, "invalid_argument"),
    ]


def test_a_failed_attempt_comes_back_after_a_pause_that_doubles(world: World) -> None:
    id = todo(world)
    pauses = []
    for _ in range(4):
        act(world, id, "claim")
        assert act(world, id, "fail").json["state"] == "pending"
        assert world.agent("POST", "/todos/claim-next").status_code == 204
        pauses.append(seconds_until(world.operator("GET", f"/todos/{id}").json["not_before"]))
    assert [round(pause / 30) for pause in pauses] == [1, 2, 4, 8]


@pytest.mark.setting(RETRY_SECONDS="400", MAX_ATTEMPTS="9")
def test_the_pause_grows_to_15_minutes_at_most(world: World) -> None:
    id = todo(world)
    for _ in range(3):
        act(world, id, "claim")
        act(world, id, "fail")
    pause = seconds_until(world.operator("GET", f"/todos/{id}").json["not_before"])
    assert 890 < pause <= 900


@pytest.mark.setting(RETRY_SECONDS="0", MAX_ATTEMPTS="3")
def test_after_its_attempts_a_todo_is_dead_lettered_until_a_human_retries_it(world: World) -> None:
    id = todo(world)
    for _ in range(3):
        world.claim()
        act(world, id, "fail", {"result": "no luck"})
    dead = world.operator("GET", f"/todos/{id}").json
    assert (dead["state"], dead["failures"]) == ("failed", 3)
    assert dead["dead_lettered_at"] and dead["finished_at"]
    assert world.agent("POST", "/todos/claim-next").status_code == 204
    again = world.operator("POST", f"/todos/{id}/retry").json
    assert (again["state"], again["failures"], again["dead_lettered_at"]) == ("pending", 0, None)
    assert world.claim()["attempt"] == 4


def test_a_todo_failed_for_good_does_not_come_back(world: World) -> None:
    id = todo(world)
    world.claim()
    assert act(world, id, "fail", {"retry": False}).json["state"] == "failed"
    assert world.agent("POST", "/todos/claim-next").status_code == 204


def test_a_human_does_not_retry_what_somebody_works_on(world: World) -> None:
    id = todo(world)
    world.claim()
    assert world.operator("POST", f"/todos/{id}/retry").status_code == 409
    act(world, id, "complete")
    assert world.operator("POST", f"/todos/{id}/retry").status_code == 409


def test_a_lease_that_ran_out_is_reaped_as_a_burned_attempt(world: World) -> None:
    id = todo(world)
    world.claim()
    assert leases.reap(world.lib) == 0
    age(world, id, lease_expires_at=clock.ago(1))
    assert leases.reap(world.lib) == 1
    row = world.operator("GET", f"/todos/{id}").json
    assert (row["state"], row["failures"], row["last_failure"]) == (
        "pending", 1, "the lease ran out",
    )  # fmt: skip
    answer = act(world, id, "complete", {"attempt": 1})
    assert (answer.status_code, answer.json["code"]) == (409, "not_claimed")


def test_a_heartbeat_keeps_a_todo_from_the_reaper(world: World) -> None:
    id = todo(world)
    world.claim()
    age(world, id, lease_expires_at=clock.ago(1))
    act(world, id, "heartbeat")
    assert leases.reap(world.lib) == 0


def test_more_than_one_batch_is_reaped_at_once(world: World, monkeypatch: Any) -> None:
    monkeypatch.setattr(leases, "REAP_AT_ONCE", 2)
    for number in range(1, 6):
        todo(world, number)
        id = world.claim()["id"]
        age(world, id, lease_expires_at=clock.ago(1))
    assert leases.reap(world.lib) == 5
