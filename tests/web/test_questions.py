"""What agents ask, on the pages: the card, the question's own page, the todo's story."""

from __future__ import annotations

import re
from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.sessions import registry
from tests.sessions.desk import REF, Desk
from tests.web.conftest import Human
from tests.world import World, payload

PAGE = "/question?ref=github%3Aacme%2Frocket%237"


@pytest.fixture
def desk(world: World, ana: Human) -> Desk:
    """An agent that holds the todo of issue 7 and has a mailbox for it."""
    desk = Desk(world)
    assert desk.todo and desk.register().status_code == 201
    return desk


def send(human: Human, path: str = "/question", **fields: Any) -> Any:
    return human.send(path, seen_at=PAGE, ref=REF, owner="ana", **fields)


def test_an_open_question_is_a_card_on_the_home_page(ana: Human, desk: Desk) -> None:
    desk.ask("Left or <b>right</b>?")
    page = ana.read("/")
    assert "Needs you" in page and REF in page
    assert page.count(">waiting<") == 1 and "Your answer" in page
    assert "Left or <b>right</b>?" in page and "<b>right" not in ana.get("/").text


def test_what_is_typed_on_the_card_lands_in_the_mailbox(ana: Human, desk: Desk) -> None:
    desk.ask()
    answer = ana.send(
        "/question", seen_at="/", ref=REF, owner="ana", text="Left.\r\n\r\nThen <up>."
    )
    assert answer.status_code == 302
    [message] = desk.collect().json["messages"]
    assert (message["text"], message["actor"], message["via"]) == (
        "Left.\n\nThen <up>.",
        "ana",
        "page",
    )
    assert ">waiting<" not in ana.read("/")


def test_the_receipt_says_how_far_an_answer_has_come(ana: Human, desk: Desk) -> None:
    desk.ask()
    send(ana, text="Left.")
    assert ">queued<" in ana.read(PAGE) and "it was last seen" in ana.read(PAGE)
    [message] = desk.collect().json["messages"]
    assert ">delivered<" in ana.read(PAGE)
    desk.world.agent("POST", f"/sessions/inbox/{message['id']}/read")
    assert ">read<" in ana.read(PAGE)


def test_an_answer_to_a_paused_session_stays_in_the_form(ana: Human, desk: Desk) -> None:
    desk.ask()
    registry.pause(desk.world.lib, Machine(), REF)
    answer = send(ana, text="Left, and slowly.")
    assert answer.status_code == 422
    assert "paused; resume it first" in answer.text and "Left, and slowly." in answer.text


def test_a_form_that_was_open_too_long_keeps_its_words_and_is_not_sent(
    ana: Human, desk: Desk
) -> None:
    desk.ask()
    seen = re.search(r'name="question" type="hidden" value="(ev_\w+)"', ana.read(PAGE))
    assert seen and send(ana, text="Left.", question=seen[1]).status_code == 302
    late = send(ana, text="No, right!", question=seen[1])
    assert late.status_code == 422 and "ana answered it before you" in late.text
    assert "No, right!" in late.text and "Answered elsewhere" not in late.text
    assert len(desk.collect().json["messages"]) == 1


def test_an_empty_answer_is_said_beside_the_box(ana: Human, desk: Desk) -> None:
    desk.ask()
    answer = send(ana, text="  ")
    assert answer.status_code == 422 and "The answer is empty" in answer.text


def test_where_no_session_waits_the_page_says_to_answer_there(ana: Human, desk: Desk) -> None:
    desk.ask()
    registry.end(desk.world.lib, Machine(), REF)
    page = ana.read(PAGE)
    assert "No session is registered for it" in page and "Your answer" not in page
    late = send(ana, text="Left.")
    assert late.status_code == 422 and "Answer on the ticket" in late.text


def test_answered_elsewhere_takes_the_question_away(ana: Human, desk: Desk) -> None:
    desk.ask()
    assert send(ana, "/question/elsewhere").status_code == 302
    assert ">waiting<" not in ana.read("/")
    assert "answered" in ana.read(PAGE)
    assert desk.events()[0]["data"]["via"] == "ticket"


def test_a_persons_comment_on_the_work_item_is_offered_as_the_answer(
    ana: Human, desk: Desk
) -> None:
    desk.ask()
    body = payload("github/issue_comment.created")
    body["issue"]["number"] = 7
    desk.world.deliver(body, event="issue_comment")
    page = ana.read("/")
    assert "Send this as the answer" in page
    offered = re.search(r'name="text" value="([^"]*)"', page)
    assert offered
    send(ana, text=offered[1])
    [message] = desk.collect().json["messages"]
    assert message["text"] == body["comment"]["body"].strip()


def test_a_session_is_paused_resumed_and_ended_by_a_human(ana: Human, desk: Desk) -> None:
    desk.ask()
    session = desk.about()["session"]["id"]
    for act, state in (("pause", "paused"), ("resume", "active"), ("end", "ended")):
        assert ana.send(f"/sessions/{session}/{act}", seen_at=PAGE).status_code == 302
        listed = desk.world.operator("GET", "/sessions").json["sessions"]
        assert listed[0]["state"] == state


def test_the_story_of_the_todo_tells_question_and_answer(ana: Human, desk: Desk) -> None:
    desk.ask("Which way?")
    send(ana, text="Left.")
    page = ana.read(f"/todos/{desk.todo['id']}")
    assert page.index("asker asks") < page.index("ana answers, via page")
    assert "Which way?" in page and "Left." in page


def test_without_the_letter_a_the_question_is_shown_and_no_box(ana: Human, desk: Desk) -> None:
    desk.ask()
    accounts.set_letters(desk.world.lib, "ana", "ncf")
    page = ana.read(PAGE)
    assert "Which way?" in page and "lacks the letter a" in page and "Your answer" not in page


def test_a_question_of_somebody_else_is_not_there(bob: Human, desk: Desk) -> None:
    desk.ask()
    assert "Which way?" not in bob.read("/")
    assert bob.get(PAGE).status_code == 404
