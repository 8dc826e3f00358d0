"""An agent works on its own endpoint's todos, on the queues it was granted, and on nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.world import World

UNKNOWN = "td_01K00000000000000000000000"


def calls(id: str) -> list[tuple[str, str, Any]]:
    verbs = ("claim", "heartbeat", "complete", "fail", "release")
    return [
        ("GET", f"/todos/{id}", None),
        *[("POST", f"/todos/{id}/{verb}", {}) for verb in verbs],
        ("POST", f"/todos/{id}/replies", {"text": "hello"}),
    ]


def test_another_endpoints_todo_looks_exactly_like_an_unknown_one(
    world: World, subtests: pytest.Subtests
) -> None:
    foreign = world.deliver(world.issue(1)).json["todos"][0]["id"]
    other = world.vend("other", verbs=["drain", "reply"])
    for mine, unknown in zip(calls(foreign), calls(UNKNOWN), strict=True):
        with subtests.test(mine[1].rpartition("/")[2]):
            found = world.agent(*mine, by=other)
            assert found.status_code == 404
            assert found.data == world.agent(*unknown, by=other).data
    assert world.claim()["attempt"] == 1


def test_an_id_that_is_none_is_a_todo_not_found(world: World, subtests: pytest.Subtests) -> None:
    assert world.endpoint
    for id in (
        "x",
        "td_",
        "td_%00",
        "%00",
        "td_" + "a" * 26,
        "td_" + "0" * 3000,
        "%ff",
        "é",
        UNKNOWN + "%0a",
    ):
        for method, path, body in calls(id):
            with subtests.test(path[:40]):
                assert world.agent(method, path, body).status_code == 404


def test_a_queue_that_was_not_granted_is_forbidden(world: World) -> None:
    assert world.endpoint
    answer = world.agent("POST", "/todos/claim-next", {"queue": "secret"})
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    assert answer.json["field"] == "queue"


@pytest.mark.parametrize("queue", ["\x00", "\ud800", "x" * 5000])
def test_a_hostile_queue_name_is_just_not_granted(world: World, queue: str) -> None:
    assert world.endpoint
    assert world.agent("POST", "/todos/claim-next", {"queue": queue}).status_code == 403


def test_claiming_by_queue_takes_from_that_queue_alone(world: World) -> None:
    both = world.vend("both", queues=["fast", "slow"])
    source = world.add_source("fan", to=["both:slow", "both:fast"])
    world.deliver(world.issue(1), source=source)
    claim = world.agent("POST", "/todos/claim-next", {"queue": "fast"}, by=both)
    assert claim.json["queue"] == "fast"
    assert world.agent("POST", "/todos/claim-next", {"queue": "fast"}, by=both).status_code == 204


def test_without_the_drain_verbs_there_are_no_todos(world: World) -> None:
    sender = world.vend("sender", verbs=["reply"])
    for method, path in (("GET", "/todos"), ("POST", "/todos/claim-next")):
        answer = world.agent(method, path, by=sender)
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")


def test_an_endpoint_lists_its_own_todos_only(world: World) -> None:
    world.deliver(world.issue(1))
    other = world.vend("other")
    assert world.agent("GET", "/todos", by=other).json == {"todos": [], "next": None}
