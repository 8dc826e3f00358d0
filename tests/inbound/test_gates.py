"""What stops a good delivery: a pause, a missing letter, key or target; each with its own row."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from switchboard import create_app
from switchboard.access.principals import Machine
from switchboard.config import read_settings
from switchboard.inbound import source_changes
from tests.world import World, payload


def last_row(world: World) -> dict[str, Any]:
    return world.log()[0]


def test_a_paused_source_takes_nothing(world: World) -> None:
    assert world.source
    source_changes.set_state(world.lib, Machine(), "octo", "paused")
    answer = world.deliver(world.issue(1))
    assert (answer.status_code, answer.json["code"]) == (423, "source_paused")
    row = last_row(world)
    assert (row["status"], row["code"], row["verified"]) == ("refused", "source_paused", True)


def test_a_stranger_does_not_learn_that_a_source_is_paused(world: World) -> None:
    assert world.source
    source_changes.set_state(world.lib, Machine(), "octo", "paused")
    assert world.deliver(world.issue(1), headers={"X-Hub-Signature-256": "x"}).status_code == 401


def test_a_revoked_source_is_unknown(world: World) -> None:
    assert world.source
    source_changes.set_state(world.lib, Machine(), "octo", "revoked")
    answer = world.deliver(world.issue(1))
    assert (answer.status_code, answer.json["code"]) == (404, "unknown_source")
    assert last_row(world)["source"] is None


def test_a_source_without_the_letter_opens_no_todo(world: World) -> None:
    assert world.endpoint
    source = world.add_source("mute", letters="")
    answer = world.deliver(world.issue(1), source=source)
    assert (answer.status_code, answer.json["code"]) == (403, "missing_capability")
    assert answer.json["letter"] == "n"
    assert last_row(world)["code"] == "missing_capability"


def test_a_source_without_a_target_says_so(world: World) -> None:
    source = world.add_source("lonely")
    answer = world.deliver(world.issue(1), source=source)
    assert (answer.status_code, answer.json["code"]) == (422, "no_target")
    row = last_row(world)
    assert (row["status"], row["code"]) == ("refused", "no_target")
    whole = world.operator("GET", f"/deliveries/{row['id']}").json
    assert whole["body_state"] == "whole"


def test_a_revoked_endpoint_is_no_target(world: World) -> None:
    assert world.source
    assert world.operator("DELETE", "/endpoints/fixer").status_code == 204
    assert world.deliver(world.issue(1)).json["code"] == "no_target"


def test_one_delivery_becomes_a_todo_for_each_target(world: World) -> None:
    world.vend("one", queues=["fast", "slow"])
    world.vend("two")
    source = world.add_source("fan", to=["one:fast", "one:slow", "two"])
    answer = world.deliver(world.issue(1), source=source).json
    assert (answer["created"], len(answer["artifacts"])) == (3, 3)
    assert sorted(todo["queue"] for todo in answer["todos"]) == ["default", "fast", "slow"]
    assert all(todo["created"] for todo in answer["todos"])


def test_the_answer_to_an_accepted_delivery_has_its_fixed_shape(world: World) -> None:
    answer = world.deliver(world.issue(1))
    assert answer.status_code == 202
    assert set(answer.json) == {
        "delivery", "todos", "artifacts", "created", "duplicate", "dropped", "cause",
        "verified", "trust",
    }  # fmt: skip
    assert answer.json["verified"] is True and answer.json["trust"] == "signed"
    assert answer.json["artifacts"] == [{"type": "todo", "id": answer.json["todos"][0]["id"]}]


def test_a_ping_is_recorded_and_makes_no_todo(world: World) -> None:
    answer = world.deliver(payload("github/ping"), "ping")
    assert (answer.status_code, answer.json["created"], answer.json["todos"]) == (202, 0, [])
    row = last_row(world)
    assert (row["status"], row["event_type"]) == ("accepted", "ping")


def test_a_ping_needs_no_target(world: World) -> None:
    source = world.add_source("lonely")
    assert world.deliver(payload("github/ping"), "ping", source=source).status_code == 202


def test_a_delivery_without_an_id_is_refused(world: World) -> None:
    answer = world.deliver(world.issue(1), headers={"X-GitHub-Delivery": None})
    assert (answer.status_code, answer.json["code"]) == (422, "missing_delivery_id")
    assert last_row(world)["code"] == "missing_delivery_id"


def test_a_delivery_without_an_event_is_unmappable(world: World) -> None:
    answer = world.deliver(world.issue(1), headers={"X-GitHub-Event": None})
    assert (answer.status_code, answer.json["code"]) == (422, "unmappable")
    assert answer.json["field"] == "X-GitHub-Event"


def test_a_body_without_what_its_event_is_about_is_unmappable(
    world: World, subtests: pytest.Subtests
) -> None:
    cases = {"issues": "issue", "issue_comment": "issue", "pull_request": "pull_request",
             "pull_request_review": "pull_request",
             "pull_request_review_comment": "pull_request"}  # fmt: skip
    for event, field in cases.items():
        with subtests.test(event):
            body = {"action": "opened", "repository": world.issue(1)["repository"]}
            answer = world.deliver(body, event)
            assert (answer.status_code, answer.json["code"]) == (422, "unmappable")
            assert answer.json["field"] == field
            assert last_row(world)["code"] == "unmappable"


def test_a_body_that_is_no_object_is_unmappable(world: World, subtests: pytest.Subtests) -> None:
    for value in ([], "text", 7, None, True):
        with subtests.test(value=value):
            assert world.deliver(value).json["code"] == "unmappable"


@pytest.fixture
def keyless(app: Flask, world: World, environ: dict[str, str]) -> World:
    """The same box after a restart without its encryption key."""
    assert world.source and world.connection and world.operator_token
    bare = {k: v for k, v in environ.items() if k != "SWITCHBOARD_ENCRYPTION_KEY"}
    other = World(create_app(read_settings(bare)))
    for name in ("account", "endpoint", "source", "connection", "operator_token"):
        setattr(other, name, getattr(world, name))
    return other


def test_without_the_encryption_key_the_sender_is_asked_to_come_back(keyless: World) -> None:
    answer = keyless.deliver(keyless.issue(1))
    assert (answer.status_code, answer.json["code"]) == (503, "encryption_required")
    assert int(answer.headers["Retry-After"]) > 0
    row = last_row(keyless)
    assert (row["status"], row["code"]) == ("failed", "encryption_required")


def test_without_the_encryption_key_strangers_cannot_fill_the_disk(keyless: World) -> None:
    for _ in range(130):
        keyless.deliver(keyless.issue(1), headers={"X-Hub-Signature-256": "x"})
    assert len(keyless.log()) <= 2 * 61
    assert sum(row["count"] for row in keyless.log()) == 130
