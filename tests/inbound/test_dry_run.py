"""Dry run: what rules would have made of recent deliveries, and that nothing becomes of it."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.inbound import dry_run
from switchboard.lib import jq
from tests.world import World, payload

DROP = {"when": '.issue.title == "noise"', "drop": True}
URGENT = {"when": '.issue.title | test("bug")', "queue": "urgent"}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jq, "ALL_SECONDS", 60.0)  # a busy machine is no slow rule
    monkeypatch.setattr(dry_run, "SECONDS", 60.0)


@pytest.fixture
def busy(world: World) -> World:
    """A world whose source took a ping, noise, a bug and a wish, in this order."""
    world.vend("fixer", queues=["default", "urgent"])
    source = world.add_source("octo")
    world.__dict__["source"] = source
    world.deliver(payload("github/ping"), "ping")
    for number, title in enumerate(("noise", "a bug", "a wish"), 1):
        world.deliver(world.issue(number, title))
    world.deliver(b"no JSON")
    world.deliver(world.issue(9), headers={"X-Hub-Signature-256": "sha256=00"})
    return world


def tried(world: World, body: Any = None) -> list[dict[str, Any]]:
    answer = world.operator("POST", "/sources/octo/rules/dry-run", body or {})
    assert answer.status_code == 200, answer.data
    return answer.json["deliveries"]


def test_each_accepted_delivery_is_told_with_its_trace_newest_first(busy: World) -> None:
    found = tried(busy, {"rules": [DROP, URGENT]})
    assert [(each["subject"], each["result"], each["targets"]) for each in found] == [
        ("a wish", "to fixer:default", ["fixer:default"]),
        ("a bug", "to fixer:urgent", ["fixer:urgent"]),
        ("noise", "dropped", []),
        ("GitHub ping", "makes no todo", []),
    ]
    assert [[line["result"] for line in each["trace"]] for each in found] == [
        ["no match", "no match"],
        ["no match", "matched: queue urgent"],
        ["matched: dropped"],
        [],
    ]
    assert set(found[0]) == {"id", "event_type", "subject", "result", "trace", "targets"}
    assert found[0]["event_type"] == "issues.opened"


def test_nothing_changes(busy: World) -> None:
    def state() -> Any:
        sources = busy.operator("GET", "/sources").json
        return busy.log(), sources, busy.operator("GET", "/todos").json

    before = state()
    tried(busy, {"rules": [DROP, URGENT]})
    assert state() == before


def test_without_rules_in_the_call_those_of_the_source_are_tried(busy: World) -> None:
    busy.operator("PATCH", "/sources/octo", {"rules": [DROP]})
    assert [each["result"] for each in tried(busy)].count("dropped") == 1
    assert "dropped" not in [each["result"] for each in tried(busy, {"rules": []})]


def test_limit_says_how_many(busy: World) -> None:
    assert [each["subject"] for each in tried(busy, {"limit": 2})] == ["a wish", "a bug"]
    answer = busy.operator("POST", "/sources/octo/rules/dry-run", {"limit": 51})
    assert (answer.status_code, answer.json["field"]) == (422, "limit")


def test_rules_that_are_none_are_refused(busy: World) -> None:
    body = {"rules": [{"when": ".a ==", "drop": True}]}
    answer = busy.operator("POST", "/sources/octo/rules/dry-run", body)
    assert (answer.status_code, answer.json["field"]) == (422, "rules")


def test_it_says_what_would_be_refused(busy: World) -> None:
    busy.operator("DELETE", "/endpoints/fixer")
    assert {each["result"] for each in tried(busy)} == {"refused: no_target", "makes no todo"}


def test_it_ends_in_time_and_says_what_it_did_not_try(
    busy: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_run, "SECONDS", 0.0)
    assert {each["result"] for each in tried(busy)} == {"not tried: the ones before took too long"}


def test_a_source_out_of_view_is_not_found(busy: World) -> None:
    answer = busy.operator("POST", "/sources/stranger/rules/dry-run", {})
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
