"""Replay: an old delivery once more as a new one, under what its source is set to now."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.lib import clock
from switchboard.models import Source
from switchboard.replies.dial import dial
from tests.standins.github import GitHubStandIn
from tests.world import World, payload

FIRST_ID = 2_000_000_001  # of what the stand-in posts


def replayed(world: World, delivery: str, status: int = 201) -> dict[str, Any]:
    answer = world.operator("POST", f"/deliveries/{delivery}/replay")
    assert answer.status_code == status, answer.data
    return answer.json


def refused_for_want_of_a_target(world: World) -> str:
    """The id of a delivery that found no endpoint."""
    source = world.add_source("octo")
    assert world.deliver(world.issue(4, "Lost"), source=source, id="one").status_code == 422
    return world.log()[0]["id"]


def test_a_refused_delivery_becomes_a_todo_once_its_source_is_mended(world: World) -> None:
    old = refused_for_want_of_a_target(world)
    assert world.endpoint
    source_changes.edit(world.lib, Machine(), "octo", {"to": ["fixer"]})
    new = replayed(world, old)
    assert (new["status"], new["http_status"], new["code"]) == ("accepted", 202, "accepted")
    assert (new["replay_of"], new["delivery_id"]) == (old, "one")
    assert (new["verified"], new["trust"], new["body_state"]) == (True, "signed", "whole")
    todo = world.claim()
    assert (todo["id"], todo["title"]) == (new["outcome"]["todos"][0]["id"], "Lost")
    assert todo["payload"]["issue"]["number"] == 4
    assert todo["reply_to"]["display"] == "github acme/rocket#4"


def test_an_accepted_one_goes_past_the_dedupe_as_often_as_asked(world: World) -> None:
    old = world.deliver(world.issue(1), id="one").json["delivery"]
    made = {replayed(world, old)["outcome"]["todos"][0]["id"] for _ in range(2)}
    assert len(made) == 2
    assert [row["replay_of"] for row in world.log()] == [old, old, None]


def test_the_senders_next_copy_is_still_a_repeat_of_the_first(world: World) -> None:
    old = world.deliver(world.issue(1), id="one").json["delivery"]
    replayed(world, old)
    again = world.deliver(world.issue(1), id="one")
    assert (again.status_code, again.json["delivery"]) == (200, old)


def test_rules_and_letters_of_now_count(world: World) -> None:
    old = world.deliver(world.issue(1)).json["delivery"]
    source_changes.edit(world.lib, Machine(), "octo", {"rules": [{"when": "true", "drop": True}]})
    assert replayed(world, old)["code"] == "rule"
    source_changes.edit(world.lib, Machine(), "octo", {"letters": ""})
    new = replayed(world, old)
    assert (new["status"], new["code"], new["replay_of"]) == (
        "refused",
        "missing_capability",
        old,
    )
    assert world.log()[0]["id"] == new["id"]


def test_a_refused_replay_can_be_replayed(world: World) -> None:
    first = replayed(world, refused_for_want_of_a_target(world))
    assert first["code"] == "no_target"
    assert world.endpoint
    source_changes.edit(world.lib, Machine(), "octo", {"to": ["fixer"]})
    assert replayed(world, first["id"])["code"] == "accepted"


def test_a_replayed_echo_of_our_own_reply_is_dropped_again(
    world: World, github: GitHubStandIn
) -> None:
    dial(world.lib, world.reply(world.claimed(7)).json["reply_id"])
    body = payload("github/issue_comment.created")
    body["issue"]["number"], body["comment"]["id"] = 7, FIRST_ID
    echo = world.deliver(body, "issue_comment").json
    assert echo["cause"] == "self_reply"
    assert replayed(world, echo["delivery"])["code"] == "self_reply"


def test_a_paused_source_does_not_stand_in_its_way(world: World) -> None:
    old = world.deliver(world.issue(1)).json["delivery"]
    source_changes.set_state(world.lib, Machine(), "octo", "paused")
    assert replayed(world, old)["code"] == "accepted"
    assert world.operator("GET", "/sources").json["sources"][0]["state"] == "paused"


@pytest.mark.setting(PAUSE_AFTER="3")
def test_replays_neither_pause_a_source_nor_mend_its_count(world: World) -> None:
    old = refused_for_want_of_a_target(world)
    for _ in range(5):
        assert replayed(world, old)["code"] == "no_target"
    assert failures(world) == ("active", 1)
    assert world.endpoint
    source_changes.edit(world.lib, Machine(), "octo", {"to": ["fixer"]})
    assert replayed(world, old)["code"] == "accepted"
    assert failures(world) == ("active", 1)


def failures(world: World) -> tuple[str, int]:
    with world.lib.db.read() as session:
        source = session.query(Source).one()
        return source.state, source.failures


def test_what_nothing_proved_is_never_replayed(world: World) -> None:
    assert world.operator_token and world.source
    world.deliver(world.issue(1), headers={"X-Hub-Signature-256": "sha256=00"})
    world.client.post("/hooks/unknown", data=b"{}")
    for row in world.log():
        problem = replayed(world, row["id"], 409)
        assert problem["code"] == "conflict" and "proved" in problem["detail"]
    assert len(world.log()) == 2


def test_without_its_body_there_is_nothing_to_replay(world: World) -> None:
    source_changes.set_state(world.lib, Machine(), world.source.source["name"], "paused")
    assert world.deliver(world.issue(1)).status_code == 423  # which keeps no body
    problem = replayed(world, world.log()[0]["id"], 409)
    assert "not kept" in problem["detail"]


def test_a_revoked_sources_deliveries_are_not_replayed(world: World) -> None:
    old = world.deliver(world.issue(1)).json["delivery"]
    source_changes.set_state(world.lib, Machine(), "octo", "revoked")
    assert "revoked" in replayed(world, old, 409)["detail"]


def test_a_member_of_the_team_may_look_and_not_replay(world: World) -> None:
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ben", "member")
    world.vend("shared", owner="core")
    source = world.add_source("shared", owner="core")
    old = world.deliver(world.issue(1), source=source).json["delivery"]
    token = accounts.mint_token(world.lib, "ben")
    answer = world._call("POST", f"/deliveries/{old}/replay", None, token)
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    # and ana is not in the team at all
    assert replayed(world, old, 404)["code"] == "not_found"


def test_a_timed_signature_is_not_asked_for_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.endpoint
    source = world.add_source("chat", "slack", host="T0AB1CD2E")
    body = payload("slack/message")
    assert world.signed(source, body, {}).status_code == 202
    old, now = world.log()[0]["id"], clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(hours=2))
    assert replayed(world, old)["code"] == "accepted"
