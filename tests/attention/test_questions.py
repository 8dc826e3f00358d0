"""A question is open or not: home page, API and event log agree, whatever was said in whatever order."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import count
from urllib.parse import unquote

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.lib import ids
from switchboard.models import Event
from switchboard.sessions import questions
from switchboard.sessions.question_store import ANSWERED, ASKED
from tests.sessions.desk import REF, Desk
from tests.web.conftest import Human
from tests.world import World

START = datetime(2026, 1, 1, tzinfo=UTC)
numbers = count(1)


def signed_in(world: World) -> Human:
    """The human, who signs in once a world."""
    human = world.__dict__["human"] = Human(world.app.test_client(), world.account["name"])
    assert human.sign_in().status_code == 302
    return human


def on_the_page(human: Human) -> set[str]:
    """The work items whose questions the home page shows."""
    return {unquote(ref) for ref in re.findall(r'href="/question\?ref=([^"&]+)', human.read("/"))}


def in_the_api(world: World) -> set[str]:
    found = world.operator("GET", "/attention").json["attention"]
    return {each["ref"] for each in found if each["kind"] == "awaiting-input"}


def in_the_log(world: World, refs: list[str]) -> set[str]:
    """By the rule alone: the latest question is open unless an answer is at least as new."""
    found = set()
    for ref in refs:
        told = world.operator("GET", f"/events?ref={ref.replace('#', '%23')}&limit=200").json[
            "events"
        ]
        asked = [each["at"] for each in told if each["type"] == ASKED]
        answered = [each["at"] for each in told if each["type"] == ANSWERED]
        if asked and max(answered, default="") < max(asked):
            found.add(ref)
    return found


said = st.tuples(st.sampled_from([ASKED, ANSWERED]), st.integers(0, 1), st.integers(0, 4))


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(story=st.lists(said, max_size=8))
def test_page_api_and_event_log_agree_in_any_order_of_events(
    world: World, story: list[tuple[str, int, int]]
) -> None:
    owner, run = world.account["id"], next(numbers)
    refs = [f"github:acme/rocket#{2 * run}", f"github:acme/rocket#{2 * run + 1}"]
    with world.lib.db.write() as session:
        for type_, which, second in story:
            at = START + timedelta(seconds=second)
            data = {"work_item": refs[which], "via": "api", "question": "Which way?", "actor": "",
                    "comment_url": "", "comment_posted": False, "reply": None}  # fmt: skip
            session.add(
                Event(
                    id=ids.new("event"), type=type_, at=at, owner_id=owner, actor="a", actor_id=None,
                    about_id=None, about=refs[which], ref=refs[which], data=data,
                )
            )  # fmt: skip
    human = world.__dict__.get("human") or signed_in(world)
    open_now = in_the_log(world, refs)
    assert in_the_api(world) & set(refs) == open_now
    assert on_the_page(human) & set(refs) == open_now


def test_open_then_answered_then_asked_again_then_answered_on_the_ticket(world: World) -> None:
    desk, human = Desk(world), signed_in(world)
    assert desk.todo

    def is_open() -> bool:
        seen = [on_the_page(human), in_the_api(world), in_the_log(world, [REF])]
        assert seen[0] == seen[1] == seen[2]
        return seen[0] == {REF}

    assert not is_open()
    desk.register()
    desk.ask("Which way?")
    assert is_open()
    assert desk.answer("Left.").status_code == 200
    assert not is_open()
    desk.ask("And now?")
    assert is_open()
    questions.answered_elsewhere(world.lib, desk.operator, REF)
    assert not is_open()
