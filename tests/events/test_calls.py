"""`api.request`: what was called by whom with what outcome, without a word of what was sent."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func, select

from switchboard.access import accounts
from switchboard.events import calls
from switchboard.inbound import retention
from switchboard.lib import clock, ids
from switchboard.models import Event
from tests.servers import wait_until
from tests.web.conftest import Human
from tests.world import World


def recorded(world: World, token: str | None = None) -> list[dict[str, Any]]:
    """The calls on record, oldest first, but those that read it."""
    answer = world._call(
        "GET", "/events?type=api.request&limit=200", None, token or world.operator_token
    )
    every = reversed(answer.json["events"])
    return [each for each in every if each["data"]["path"] != "/api/v1/events"]


def told(each: dict[str, Any]) -> tuple[Any, ...]:
    data = each["data"]
    return (each["actor"], data["method"], data["path"], data["status"], data["count"])


def test_every_call_is_on_record_with_who_made_it_and_what_came_of_it(world: World) -> None:
    todo = world.claimed()
    world.agent("POST", f"/todos/{todo['id']}/complete", {"result": "canary"})
    world.agent("GET", "/todos?state=canary")
    world.operator("POST", "/sources", {"kind": "github", "name": "canary"})
    world.operator("DELETE", "/sources/nothing")
    world.client.get("/api/v1/whoami", headers={"Authorization": "Bearer sbk_canary"})
    found = recorded(world)
    assert [told(each) for each in found] == [
        ("agent fixer", "POST", "/api/v1/todos/claim-next", 200, 1),
        ("agent fixer", "POST", "/api/v1/todos/<todo_id>/complete", 200, 1),
        ("agent fixer", "GET", "/api/v1/todos", 422, 1),
        ("ana", "POST", "/api/v1/sources", 201, 1),
        ("ana", "DELETE", "/api/v1/sources/<ref>", 404, 1),
        ("nobody", "GET", "/api/v1/whoami", 401, 1),
    ]
    assert found[0]["actor_id"] == world.endpoint.endpoint["id"]
    assert found[0]["owner"] == {"account": "ana"} and found[-1]["owner"] is None
    assert all(isinstance(each["data"]["duration_ms"], int) for each in found)
    assert "canary" not in str(found) and todo["id"] not in str(found)


def test_polls_of_an_empty_queue_are_one_line_that_counts_them(world: World) -> None:
    for _ in range(20):
        assert world.agent("POST", "/todos/claim-next").status_code == 204
    for _ in range(3):
        world.agent("GET", "/whoami")
    lines = [told(each)[2:] for each in recorded(world)]
    assert sum(count for path, _, count in lines if path.endswith("claim-next")) == 20
    assert sum(count for path, _, count in lines if path.endswith("whoami")) == 3
    assert len(lines) == 4


def test_what_changes_something_is_a_line_of_its_own_each_time(world: World) -> None:
    todo = world.claimed()
    for _ in range(3):
        world.agent("POST", f"/todos/{todo['id']}/heartbeat")
    lines = [told(each)[2:] for each in recorded(world)]
    assert lines.count(("/api/v1/todos/<todo_id>/heartbeat", 200, 1)) == 3


def test_deliveries_pages_and_health_are_not_calls_of_the_api(world: World) -> None:
    world.deliver(world.issue(1))
    for path in ("/login", "/healthz", "/api/v1/nothing"):
        world.client.get(path)
    world.client.post("/api/v1/r/acme/inbound/ci")
    world.client.options("/api/v1/todos")
    assert recorded(world) == []


def test_they_do_not_bury_the_rest_of_the_log(world: World) -> None:
    assert world.connection
    world.agent("GET", "/whoami")
    calls.settle(world.lib)
    human = Human(world.app.test_client(), "ana")
    human.sign_in()
    for path in ("/events", f"/events?about={world.connection['id']}"):
        page = human.read(path)
        assert "connection.added" in page and "GET /api/v1/whoami" not in page
    assert "GET /api/v1/whoami" in human.read("/events?type=api.request")
    types = {each["type"] for each in world.operator("GET", "/events").json["events"]}
    assert types == {"connection.added"}


def test_whose_endpoint_it_was_reads_it_and_no_other(world: World) -> None:
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    world.agent("GET", "/whoami")
    world.client.get("/api/v1/whoami")
    assert recorded(world, accounts.mint_token(world.lib, "ben")) == []
    assert [told(each)[0] for each in recorded(world)] == ["agent fixer", "nobody"]


def rows(world: World) -> int:
    with world.lib.db.read() as session:
        return session.scalar(select(func.count()).where(Event.type == "api.request")) or 0


def test_a_line_is_written_in_a_moment_though_nobody_reads(world: World) -> None:
    world.agent("GET", "/whoami")
    wait_until(lambda: rows(world) == 1, 5)


def test_they_go_with_the_retention_and_no_other_event_does(world: World) -> None:
    assert world.connection
    old = clock.now() - timedelta(days=31)
    with world.lib.db.write() as session:
        for number in range(250):
            id_ = ids.first_at("event", old)[:-4] + f"{number:04d}"
            session.add(Event(id=id_, type="api.request", at=old, actor="a", about="x", data={}))
        kept = ids.first_at("event", old)[:-4] + "9999"
        session.add(Event(id=kept, type="source.added", at=old, actor="a", about="x", data={}))
    world.agent("GET", "/whoami")
    calls.settle(world.lib)
    retention.sweep(world.lib)
    assert rows(world) == 1
    assert kept in {each["id"] for each in world.operator("GET", "/events").json["events"]}


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that are over at once."""
    monkeypatch.setattr(calls, "FOLD_SECONDS", 0.05)


def test_counts_are_written_when_their_time_is_over_and_then_the_thread_ends(
    world: World, hasty: None
) -> None:
    for _ in range(5):
        world.agent("GET", "/whoami")
    wait_until(lambda: not any(each.name == "calls" for each in threading.enumerate()), 5)
    with world.lib.db.read() as session:
        data = session.scalars(select(Event.data).where(Event.type == "api.request")).all()
    assert sum(each["count"] for each in data) == 5
