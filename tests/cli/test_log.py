"""Reading deliveries and todos, hostile ones too."""

from __future__ import annotations

import time
from typing import Any

import pytest

from switchboard.inbound.diagnosis import UNSIGNED
from tests.cli.conftest import CommandLine
from tests.world import World

ESCAPE = "\x1b]0;owned\x07\u202etxt"


def test_the_log_is_filtered_by_source_status_code_and_time(cli: CommandLine, world: World) -> None:
    world.deliver(world.issue(1), id="one")
    world.deliver(world.issue(2), headers={"X-Hub-Signature-256": "sha256=00"})
    accepted, refused = "accepted", "refused"

    def states(*args: str) -> list[str]:
        return [row["status"] for row in cli.json("delivery", "list", *args)]

    assert states() == [refused, accepted]
    assert states("--limit", "1") == [refused]
    assert states("--status", "accepted", "--source", "octo") == [accepted]
    assert states("--code", "bad_signature") == [refused]
    assert states("--source", "other") == []
    assert states("--since", "1h") == [refused, accepted]
    assert states("--since", "2999-01-01") == []
    assert states("--since", "0001-01-01T00:00:00Z") == [refused, accepted]


def test_since_cuts_between_two_deliveries(cli: CommandLine, world: World) -> None:
    world.deliver(world.issue(1), id="one")
    time.sleep(0.01)
    world.deliver(world.issue(2), id="two")
    second = cli.json("delivery", "list")[0]
    found = cli.json("delivery", "list", "--since", second["received_at"])
    assert [row["delivery_id"] for row in found] == ["two"]


def test_a_long_log_is_read_over_several_pages(cli: CommandLine, world: World) -> None:
    for number in range(205):
        world.deliver(world.issue(number + 1), id=f"d{number}")
    found = cli.json("delivery", "list", "--limit", "203")
    assert [row["delivery_id"] for row in found] == [f"d{n}" for n in range(204, 1, -1)]


def test_a_delivery_is_shown_whole_and_as_curl(cli: CommandLine, world: World) -> None:
    delivery = world.deliver(world.issue(7)).json["delivery"]
    shown = cli.text("delivery", "show", delivery)
    assert '"number": 7' in shown and "accepted 202" in shown
    assert cli.json("delivery", "show", delivery)["body_state"] == "whole"
    curl = cli.json("delivery", "show", delivery, "--curl")["curl"]
    assert 'curl -i "$INGEST_URL"' in curl
    assert curl + "\n" == cli.text("delivery", "show", delivery, "--curl")


def test_what_is_likely_wrong_with_a_signature_is_shown(cli: CommandLine, world: World) -> None:
    world.deliver(world.issue(1), headers={"X-Hub-Signature-256": None})
    [refused] = cli.json("delivery", "list")
    shown = cli.text("delivery", "show", refused["id"])
    assert f"diagnosis    {UNSIGNED}" in shown
    assert f"Body: not kept (unauthenticated); SHA-256 {refused['body_sha256']}" in shown


@pytest.mark.setting(MAX_HOOK_BYTES="1000")
def test_a_body_that_was_not_read_whole_is_shown_without_a_hash(
    cli: CommandLine, world: World
) -> None:
    world.deliver(b"x" * 1500)
    [refused] = cli.json("delivery", "list")
    assert cli.text("delivery", "show", refused["id"]).endswith(
        "Body: not kept (unauthenticated)\n"
    )


def test_curl_sends_a_body_that_begins_with_an_at_sign_and_no_file(
    cli: CommandLine, world: World
) -> None:
    world.deliver(b"@/etc/passwd")
    delivery = cli.json("delivery", "list")[0]["id"]
    curl = cli.text("delivery", "show", delivery, "--curl")
    assert "printf %s @/etc/passwd" in curl and "--data-binary @-" in curl


def test_todos_are_listed_shown_and_retried(cli: CommandLine, world: World) -> None:
    todo = world.claimed()
    [listed] = cli.json("todo", "list", "--state", "claimed", "--queue", "default")
    assert listed["reply_to"]["display"] == "github acme/rocket#1"
    assert "github acme/rocket#1" in cli.text("todo", "list")
    assert cli.error("todo", "retry", todo["id"])[0] == 1
    world.agent("POST", f"/todos/{todo['id']}/fail", {"retry": False})
    assert cli.json("todo", "retry", todo["id"])["state"] == "pending"
    assert '"action": "opened"' in cli.text("todo", "show", todo["id"])


def test_what_a_stranger_wrote_cannot_steer_the_terminal(cli: CommandLine, world: World) -> None:
    response: Any = world.deliver(world.issue(1, ESCAPE)).json
    for args in (
        ("todo", "list"),
        ("todo", "show", response["todos"][0]["id"]),
        ("delivery", "list"),
        ("delivery", "show", response["delivery"]),
    ):
        text = cli.text(*args)
        assert "owned" in text
        assert [c for c in text if not c.isprintable() and c != "\n"] == []
