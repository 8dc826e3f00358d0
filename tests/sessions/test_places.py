"""Questions at every kind of place: where they go, how they read there, what their echo makes."""

from __future__ import annotations

import pytest

from switchboard.replies import marker
from switchboard.sessions import refs
from tests.replies.conftest import environ, place
from tests.replies.places import Place
from tests.sessions.desk import VERBS, Desk

__all__ = ["environ", "place"]


@pytest.fixture
def item(desk: Desk, place: Place) -> str:
    """The work item of conversation 7 there, of which the agent holds a todo."""
    desk.world.endpoint = desk.world.vend("asker", verbs=VERBS)
    source = place.source(desk.world)
    desk.world.source = source
    place.connect(desk.world)
    place.hear(desk.world, source, place.asks(7))
    return str(refs.for_address(desk.world.lib, desk.world.claim()["reply_to"]))


def test_a_question_from_the_machine_is_posted_there_and_its_echo_is_no_work(
    desk: Desk, place: Place, item: str
) -> None:
    asked = desk.ask_here("Which *way*, a < b?", item)
    assert asked.posted, asked
    [text] = place.texts
    assert [post.path for post in place.standin.posts] == [place.answered]
    assert text.count(marker.MARKER) == 1
    echo = place.hear(desk.world, desk.world.source, place.echoes(7, text, next(place.ids)))
    assert (echo["cause"], echo["created"]) == ("self_reply", 0)


def test_an_agent_finds_its_todo_by_the_work_item(desk: Desk, place: Place, item: str) -> None:
    assert desk.register(item).status_code == 201
    assert desk.ask(ref=item).json["messages"] == [
        "The comment waits for its turn, or is being posted just now; it is not known to stand yet."
    ]


def test_what_a_person_says_there_is_offered(desk: Desk, place: Place, item: str) -> None:
    desk.ask_here("Which way?", item)
    next(place.ids)
    place.hear(desk.world, desk.world.source, place.echoes(7, "Left.", next(place.ids)))
    assert [each["text"] for each in desk.about(item)["offers"]] == ["Left."]
