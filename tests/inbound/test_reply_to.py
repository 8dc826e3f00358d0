"""From a delivery to the todo's reply address: the human's pins decide, the todo is made anyway."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.test_github_addresses import ANSWERABLE, OTHERS
from tests.world import World, payload


def reply_to(world: World, body: Any, event: str = "issues", **wanted: Any) -> Any:
    answer = world.deliver(body, event, **wanted)
    assert answer.status_code == 202, answer.data
    return world.claim()["reply_to"]


def test_every_kind_of_event_becomes_a_todo_with_the_right_address(
    world: World, subtests: pytest.Subtests
) -> None:
    for event in [*ANSWERABLE, *OTHERS]:
        if event == "ping":
            continue
        with subtests.test(event):
            found = reply_to(world, payload(f"github/{event}"), event.partition(".")[0])
            number = ANSWERABLE.get(event)
            shown = number and f"github acme/rocket#{number}"
            assert (found and found["display"]) == shown


def test_an_address_shows_its_fields_and_no_inner_key(world: World) -> None:
    assert reply_to(world, world.issue(7)) == {
        "kind": "forge_comment",
        "provider": "github",
        "host": "github.com",
        "repo": "acme/rocket",
        "number": 7,
        "display": "github acme/rocket#7",
    }


def test_every_todo_of_a_fan_out_has_the_same_address(world: World) -> None:
    one, two = world.vend("one"), world.vend("two")
    source = world.add_source("fan", to=["one", "two"])
    world.deliver(world.issue(7), source=source)
    assert world.claim(by=one)["reply_to"] == world.claim(by=two)["reply_to"] is not None


def test_a_body_that_names_another_host_than_the_pinned_makes_a_todo_without_address(
    world: World,
) -> None:
    assert world.endpoint
    source = world.add_source("enterprise", host="https://ghe.example:8443")
    assert reply_to(world, world.issue(7), source=source) is None
    body = world.issue(8)
    body["repository"]["html_url"] = "https://ghe.example:8443/acme/rocket"
    found = reply_to(world, body, source=source)
    assert (found["host"], found["number"]) == ("ghe.example:8443", 8)


def test_a_repository_outside_the_pins_makes_a_todo_without_address(
    world: World, subtests: pytest.Subtests
) -> None:
    assert world.endpoint
    for globs, admitted in [
        (["acme/rocket"], True),
        (["ACME/Rocket"], True),
        (["acme/*"], True),
        (["other/*", "acme/r*"], True),
        (["acme/rock"], False),
        (["acm/*"], False),
        (["other/*"], False),
        (["*/roc"], False),
    ]:
        with subtests.test(globs=globs):
            source = world.add_source(f"pinned{world.sent}", repos=globs)
            assert (reply_to(world, world.issue(7), source=source) is not None) is admitted


def test_a_pin_for_an_owner_does_not_admit_owners_that_begin_alike(world: World) -> None:
    assert world.endpoint
    source = world.add_source("pinned", repos=["acme*"])
    body = world.issue(7)
    body["repository"]["full_name"] = "acme-evil/rocket"
    assert reply_to(world, body, source=source) is None


def test_a_doubtful_repository_still_makes_the_todo(
    world: World, subtests: pytest.Subtests
) -> None:
    for full_name in ["acme/..", "acme/rocket/x", "аcme/rocket", "acme/rocket\x00"]:
        with subtests.test(full_name=full_name):
            body = world.issue(7)
            body["repository"]["full_name"] = full_name
            assert reply_to(world, body) is None


def test_no_header_decides_where_an_answer_goes(world: World) -> None:
    strange = {"X-GitHub-Enterprise-Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    assert reply_to(world, world.issue(7), headers=strange)["host"] == "github.com"
