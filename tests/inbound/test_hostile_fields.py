"""Good deliveries with hostile fields: accepted, cleaned, bounded, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.world import World

# many refusals in a row are what is tested here, so none of them may pause the source
pytestmark = pytest.mark.setting(PAUSE_AFTER="1000000")

TITLES = {
    "NUL": ("a\x00b", "ab"),
    "a lone surrogate": ("a\ud800b", "a?b"),
    "new lines": ("a\r\nb\u2028c", "a b c"),
    "terminal escapes": ("a\x1b[31mb", "a [31mb"),
    "right-to-left override": ("a\u202eb", "a b"),
    "an emoji": ("a \U0001f680", "a \U0001f680"),
}


def test_a_hostile_title_is_accepted_and_cleaned(world: World, subtests: pytest.Subtests) -> None:
    for what, (given_title, shown) in TITLES.items():
        with subtests.test(what):
            assert world.deliver(world.issue(1, given_title)).status_code == 202
            todo = world.claim()
            assert todo["title"] == shown
            assert todo["payload"]["issue"]["title"] == given_title
            assert world.log()[0]["subject"] == shown


def test_a_long_title_is_cut(world: World) -> None:
    world.deliver(world.issue(1, "a" * 100_000))
    assert len(world.claim()["title"]) == 300


def test_a_title_that_is_none_falls_back_to_the_event(
    world: World, subtests: pytest.Subtests
) -> None:
    for title in (None, 7, "", "   ", "\x00", [], {"a": 1}, True):
        with subtests.test(title=title):
            body = world.issue(1)
            body["issue"]["title"] = title
            assert world.deliver(body).status_code == 202
            assert world.claim()["title"] == "issues.opened in acme/rocket"


def test_a_number_that_is_none_still_makes_the_todo(
    world: World, subtests: pytest.Subtests
) -> None:
    for number in (10**400, -(10**400), 2**63, True, 1.5, "7", None, [7]):
        with subtests.test(number=str(number)[:9]):
            body = world.issue(1)
            body["issue"]["number"] = number
            assert world.deliver(body).status_code == 202
            todo = world.claim()
            assert (todo["subject"], todo["reply_to"]) == ("acme/rocket", None)


def test_the_longest_event_and_action_names_are_kept(world: World) -> None:
    body = world.issue(1) | {"action": "a" * 63}
    assert world.deliver(body, "e" * 63).status_code == 202
    assert world.claim()["kind"] == "e" * 63 + "." + "a" * 63


def test_a_hostile_action_is_left_out_of_the_kind(world: World, subtests: pytest.Subtests) -> None:
    for action in ("a\x00b", "\ud800", "A B", "x" * 500, 7, None, {}):
        with subtests.test(action=repr(action)[:9]):
            assert world.deliver(world.issue(1) | {"action": action}).status_code == 202
            assert world.claim()["kind"] == "issues"


def test_a_hostile_event_name_is_unmappable(world: World, subtests: pytest.Subtests) -> None:
    for number, event in enumerate(("issues.opened", "ISSUES", "is sues", "é", "x" * 64, "../x")):
        with subtests.test(event=event[:20]):
            answer = world.deliver(world.issue(number), event)
            assert (answer.status_code, answer.json["code"]) == (422, "unmappable")
            assert answer.json["field"] == "X-GitHub-Event"


def test_a_hostile_delivery_id_is_refused_and_recorded(
    world: World, subtests: pytest.Subtests
) -> None:
    for id in (" ", "x" * 257, "é", "a\tb"):
        with subtests.test(id=id[:9]):
            answer = world.deliver(world.issue(1), id=id)
            assert (answer.status_code, answer.json["code"]) == (422, "missing_delivery_id")
            assert world.log()[0]["code"] == "missing_delivery_id"


def test_the_longest_delivery_id_is_kept_whole(world: World) -> None:
    assert world.deliver(world.issue(1), id="x" * 256).status_code == 202
    assert world.log()[0]["delivery_id"] == "x" * 256


hostile = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=40) | st.just({}) | st.just([])
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    path=st.sampled_from(
        ["action", "issue", "issue.number", "issue.title", "repository", "repository.full_name",
         "repository.html_url", "comment", "comment.id", "comment.body", "sender"]
    ),
    value=hostile,
)  # fmt: skip
def test_no_field_whatever_is_a_server_error(world: World, path: str, value: Any) -> None:
    body = world.issue(1) | {"comment": {"id": 1, "body": "x"}}
    *holders, last = path.split(".")
    inner: Any = body
    for holder in holders:
        inner = inner[holder]
    inner[last] = value
    assert world.deliver(body, "issue_comment").status_code in (200, 202, 422)
