"""Rules of a source: the first that matches picks the queue, narrows the targets, or drops; each traced."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from switchboard.access import endpoints
from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.inbound.sources import Added
from switchboard.lib import jq
from switchboard.lib.jq import Jq
from tests.world import World, payload

BUG = '.issue.title | test("bug"; "i")'


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jq, "ALL_SECONDS", 60.0)  # a busy machine is no slow rule


@pytest.fixture
def source(world: World) -> Added:
    """One that gives work to `fixer` (queues default, urgent) and to `scribe` (default)."""
    world.vend("fixer", queues=["default", "urgent"])
    world.vend("scribe", queues=["default"])
    return world.add_source("octo", to=["fixer:default", "scribe"])


def ruled(world: World, *rules: dict[str, Any], ref: str = "octo") -> dict[str, Any]:
    return source_changes.edit(world.lib, Machine(), ref, {"rules": list(rules)})


def went(answer: Any) -> list[tuple[str, str]]:
    """(endpoint, queue) of each todo, by its name."""
    return sorted((todo["endpoint"].split("-")[0], todo["queue"]) for todo in answer.json["todos"])


def trace(world: World) -> list[str]:
    """What the newest delivery's record says of each rule."""
    return [line["result"] for line in world.log()[0]["outcome"].get("trace", [])]


EVERYWHERE = [("fixer", "default"), ("scribe", "default")]


def test_without_rules_every_target_gets_a_todo(world: World, source: Added) -> None:
    answer = world.deliver(world.issue(1), source=source)
    assert (went(answer), answer.json["created"]) == (EVERYWHERE, 2)
    assert trace(world) == []


def test_the_todos_of_one_delivery_have_one_reply_address(world: World, source: Added) -> None:
    ids = [todo["id"] for todo in world.deliver(world.issue(3), source=source).json["todos"]]
    found = [world.operator("GET", f"/todos/{todo}").json["reply_to"] for todo in ids]
    assert found[0] == found[1] and found[0]["display"] == "github acme/rocket#3"


def test_a_rule_narrows_the_targets_and_picks_the_queue(world: World, source: Added) -> None:
    ruled(world, {"when": BUG, "to": ["fixer"], "queue": "urgent"})
    assert went(world.deliver(world.issue(1, "A bug"), source=source)) == [("fixer", "urgent")]
    assert trace(world) == ["matched: queue urgent, to fixer"]
    assert went(world.deliver(world.issue(2, "A wish"), source=source)) == EVERYWHERE
    assert trace(world) == ["no match"]


def test_a_rule_drops(world: World, source: Added) -> None:
    ruled(world, {"when": '.action == "opened"', "drop": True})
    answer = world.deliver(world.issue(1), source=source)
    assert answer.status_code == 202
    assert {name: answer.json[name] for name in ("dropped", "cause", "todos", "artifacts")} == {
        "dropped": True, "cause": "rule", "todos": [], "artifacts": [],
    }  # fmt: skip
    row = world.log()[0]
    assert (row["status"], row["code"]) == ("accepted", "rule")
    assert trace(world) == ["matched: dropped"]


def test_the_first_rule_that_matches_wins_and_no_other_is_asked(
    world: World, source: Added
) -> None:
    ruled(
        world,
        {"when": "false", "drop": True},
        {"when": BUG, "to": ["scribe"]},
        {"when": "true", "drop": True},
    )
    assert went(world.deliver(world.issue(1, "bug"), source=source)) == [("scribe", "default")]
    assert trace(world) == ["no match", "matched: to scribe"]


def test_a_rule_knows_event_title_and_subject(world: World, source: Added) -> None:
    when = '[$event, $title, $subject] == ["issues.opened", "It broke", "acme/rocket#9"]'
    ruled(world, {"when": when, "to": ["fixer"]})
    assert went(world.deliver(world.issue(9, "It broke"), source=source)) == [("fixer", "default")]


@pytest.mark.parametrize("when", ["until(false; .)", ".action.no.such", "error($title)"])
def test_a_rule_that_fails_is_no_match_says_why_and_the_next_is_asked(
    world: World, source: Added, when: str
) -> None:
    ruled(world, {"when": when, "drop": True}, {"when": "true", "to": ["scribe"]})
    assert went(world.deliver(world.issue(1), source=source)) == [("scribe", "default")]
    first, second = trace(world)
    assert first.startswith("error: ") and second == "matched: to scribe"


def test_slow_rules_of_one_source_do_not_switch_off_anothers(world: World, source: Added) -> None:
    generic = world.add_source("cron", "generic", to=["fixer"])
    drop = {"when": 'if .slow then until(false; .) else .action == "opened" end', "drop": True}
    for ref in ("octo", "cron"):
        ruled(
            world, *({**drop, "when": f"{drop['when']} # {number}"} for number in range(5)), ref=ref
        )
    for number in range(4):
        slow = json.dumps({"slow": True, "number": number}).encode()
        assert world.send(generic, slow).status_code == 202
    assert all(result.startswith("error: ") for result in trace(world))
    assert world.deliver(world.issue(1), source=source).json["cause"] == "rule"


def test_an_endpoint_with_two_routes_gets_one_todo_on_the_queue_of_the_rule(world: World) -> None:
    world.vend("fixer", queues=["default", "urgent"])
    source = world.add_source("octo", to=["fixer:default", "fixer:urgent"])
    ruled(world, {"when": "true", "queue": "urgent"})
    assert went(world.deliver(world.issue(1), source=source)) == [("fixer", "urgent")]


def test_the_sender_is_not_told_of_the_rules(world: World, source: Added) -> None:
    ruled(world, {"when": '"canary" | empty', "drop": True})
    answers = [world.deliver(world.issue(1), source=source, id="again") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 200]
    assert not any("trace" in answer.json or "canary" in answer.text for answer in answers)
    assert "canary" in world.log()[0]["outcome"]["trace"][0]["when"]


def test_a_queue_that_nobody_left_was_granted_is_no_target_and_recorded_with_its_trace(
    world: World, source: Added
) -> None:
    ruled(world, {"when": "true", "to": ["fixer"], "queue": "urgent"})
    endpoints.revoke(world.lib, Machine(), "fixer")
    for _ in range(2):  # the repeat gets the same refusal
        answer = world.deliver(world.issue(1), source=source, id="one")
        assert (answer.status_code, answer.json["code"]) == (422, "no_target")
        assert "rule" in answer.json["detail"] and "trace" not in answer.json
    assert trace(world) == ["matched: queue urgent, to fixer"]


def test_a_test_message_is_not_ruled_on(world: World, source: Added) -> None:
    ruled(world, {"when": "true", "drop": True})
    answer = world.deliver(payload("github/ping"), "ping", source=source)
    assert (answer.json["cause"], trace(world)) == (None, [])


def test_what_a_rule_drops_files_nothing(world: World) -> None:
    source = world.add_source("ci", "signed", repo="rocket", letters="nck")
    ruled(world, {"when": '.kind == "ticket"', "drop": True}, ref="ci")
    headers = {"X-Switchboard-Delivery": "one"}
    answer = world.signed(source, {"kind": "ticket", "title": "No"}, headers)
    assert (answer.status_code, answer.json["cause"]) == (202, "rule")
    assert world.operator("GET", "/threads").json["threads"] == []


# ── what is refused when they are set ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ({}, "when is a jq program"),
        ({"when": "true"}, "what to match and not what to do"),
        ({"when": "", "drop": True}, "when is a jq program"),
        ({"when": 7, "drop": True}, "when is a jq program"),
        ({"when": "x" * 2001, "drop": True}, "when is a jq program"),
        ({"when": "true\x00", "drop": True}, "no text"),
        ({"when": '"\ud800"', "drop": True}, "no text"),
        ({"when": "true", "drop": False}, "drop is true or left out"),
        ({"when": "true", "drop": 1}, "drop is true or left out"),
        ({"when": "true", "drop": True, "queue": "urgent"}, "goes to no queue"),
        ({"when": "true", "drop": True, "to": ["fixer"]}, "goes to no queue"),
        ({"when": "true", "to": []}, "list of endpoint names"),
        ({"when": "true", "to": "fixer"}, "list of endpoint names"),
        ({"when": "true", "to": [None]}, "list of endpoint names"),
        ({"when": "true", "to": ["stranger"]}, "no work to an endpoint stranger"),
        ({"when": "true", "queue": None}, "queue is the name"),
        ({"when": "true", "queue": "urgent"}, "scribe was not granted the queue urgent"),
        ({"when": "true", "queue": "nowhere", "to": ["fixer"]}, "fixer was not granted"),
        ({"when": "true", "goto": "x", "drop": True}, "and no goto"),
        ({"when": ".a ==", "drop": True}, "does not compile: syntax error"),
        ({"when": 'import "x" as x; true', "drop": True}, "unexpected import"),
    ],
)
def test_a_rule_that_is_none_is_refused_by_its_number(
    world: World, source: Added, rule: dict[str, Any], wrong: str
) -> None:
    body = {"rules": [{"when": "true", "to": ["fixer"]}, rule]}
    answer = world.operator("PATCH", "/sources/octo", body)
    assert (answer.status_code, answer.json["field"]) == (422, "rules")
    assert answer.json["detail"].startswith("Rule 2: ") and wrong in answer.json["detail"]
    assert world.operator("GET", "/sources").json["sources"][0]["rules"] == []


def test_twenty_rules_are_the_most(world: World, source: Added) -> None:
    rule = {"when": "true", "to": ["fixer"]}
    assert world.operator("PATCH", "/sources/octo", {"rules": [rule] * 21}).status_code == 422
    kept = world.operator("PATCH", "/sources/octo", {"rules": [rule] * 20})
    assert kept.json["rules"] == [rule] * 20


def test_a_target_that_a_rule_names_is_not_taken_away_under_it(world: World, source: Added) -> None:
    ruled(world, {"when": "true", "to": ["scribe"]})
    answer = world.operator("PATCH", "/sources/octo", {"to": ["fixer"]})
    assert (answer.status_code, answer.json["field"]) == (422, "rules")
    both = world.operator("PATCH", "/sources/octo", {"to": ["fixer"], "rules": []})
    assert (both.status_code, both.json["to"]) == (200, ["fixer:default"])


# ── what they cost who has none ──────────────────────────────────────────────────────────────────


def test_without_rules_nothing_is_started(
    world: World, source: Added, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unwanted(*_: Any) -> None:
        raise AssertionError("asked for rules there are not")

    monkeypatch.setattr(Jq, "ask", unwanted)
    assert world.deliver(world.issue(1), source=source).status_code == 202


def test_jq_is_not_loaded_into_this_process(world: World, source: Added) -> None:
    ruled(world, {"when": "true", "to": ["fixer"]})
    assert world.deliver(world.issue(1), source=source).status_code == 202
    assert "jq" not in sys.modules


def test_a_lone_surrogate_in_the_body_switches_no_rule_off(world: World) -> None:
    own = world.source.source["id"]
    rules = [{"when": '.t | test("x")', "drop": True}]
    assert world.operator("PATCH", f"/sources/{own}", {"rules": rules}).status_code == 200
    answer = world.deliver(world.issue(1) | {"t": "x\ud800"}).json
    assert (answer["dropped"], answer["cause"]) == (True, "rule")
