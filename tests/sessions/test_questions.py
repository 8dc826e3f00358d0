"""What waits for a human: derived from the event log, and never stored."""

from __future__ import annotations

import random
from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.errors import Conflict, Forbidden, NotFound
from switchboard.replies import marker
from switchboard.sessions import questions
from tests.sessions.desk import REF, Desk
from tests.world import payload

REFS = (REF, "github:acme/rocket#8", "gitea:git.example.org/acme/rocket#7")


def waiting(desk: Desk) -> dict[str, str]:
    """Work item → the question that is open on it."""
    return {each["ref"]: each["question"] for each in desk.open()}


def told_by_the_log(desk: Desk) -> dict[str, str]:
    """The same from what the event log shows, by the rule of docs/ask.md."""
    found: dict[str, str] = {}
    for event in reversed(desk.world.operator("GET", "/events?limit=200").json["events"]):
        if event["type"] == "session.awaiting_input":
            found[event["ref"]] = event["data"]["question"]
        elif event["type"] == "session.reply_sent":
            found.pop(event["ref"], None)
    return found


def test_a_question_is_open_until_it_is_answered_and_again_when_it_is_asked_again(
    desk: Desk,
) -> None:
    assert desk.todo and desk.register()
    desk.ask("Which way?")
    assert waiting(desk) == {REF: "Which way?"}
    desk.answer("Left.", comment=False)
    assert waiting(desk) == {}
    desk.ask("Which way?")
    assert waiting(desk) == {REF: "Which way?"}
    questions.answered_elsewhere(desk.world.lib, desk.operator, REF)
    assert waiting(desk) == {}
    assert desk.events()[0]["data"] == {"work_item": REF, "via": "ticket"}


@pytest.mark.parametrize("seed", range(3))
def test_whatever_happens_in_whatever_order_the_log_and_the_open_questions_agree(
    desk: Desk, seed: int
) -> None:
    assert desk.todo and desk.register()
    chance = random.Random(seed)
    for number in range(12):
        ref = chance.choice(REFS)
        act = chance.choice(("ask", "ask", "answer", "elsewhere"))
        if act == "ask":
            desk.ask_here(chance.choice(("Which way?", f"Question {number}?")), ref)
        elif act == "answer":
            desk.answer("Left.", ref, comment=False)
        elif ref in waiting(desk):
            questions.answered_elsewhere(desk.world.lib, desk.operator, ref)
        assert waiting(desk) == told_by_the_log(desk)


def test_somebody_elses_questions_are_not_there(desk: Desk) -> None:
    assert desk.world.account
    desk.ask_here()
    accounts.create(desk.world.lib, accounts.NewAccount("eve", "eve@example.org"))
    desk.world.operator_token = accounts.mint_token(desk.world.lib, "eve")
    assert desk.open() == desk.events() == []
    for look in (questions.about, questions.answered_elsewhere):
        with pytest.raises(NotFound):
            look(desk.world.lib, desk.operator, REF)


def test_only_who_may_answer_says_that_it_was_answered_elsewhere(desk: Desk) -> None:
    assert desk.world.account
    desk.ask_here()
    accounts.set_letters(desk.world.lib, "ana", "ncfl")
    with pytest.raises(Forbidden):
        questions.answered_elsewhere(desk.world.lib, desk.operator, REF)


def test_two_owners_of_one_work_item_are_told_apart_by_name(desk: Desk) -> None:
    assert desk.world.account
    accounts.create_team(desk.world.lib, "core")
    accounts.add_member(desk.world.lib, "core", "ana", "owner")
    desk.ask_here("Mine?", owner="ana")
    desk.ask_here("Ours?", owner="core")
    with pytest.raises(Conflict):
        desk.about()
    ours = questions.about(desk.world.lib, desk.operator, REF, {"team": "core"})
    assert (ours["owner"], ours["open"]["question"]) == ({"team": "core"}, "Ours?")


def comment(desk: Desk, text: str, id: int = 9, action: str = "created", **user: Any) -> None:
    """Somebody comments on issue 7 at GitHub."""
    body = payload("github/issue_comment.created") | {"action": action}
    body["repository"]["full_name"], body["issue"]["number"] = "acme/rocket", 7
    body["comment"] |= {"body": text, "id": id}
    body["comment"]["user"] |= {"login": "bea", "type": "User", **user}
    assert desk.world.deliver(body, "issue_comment").status_code == 202


def offers(desk: Desk) -> list[tuple[str, str]]:
    return [(each["author"], each["text"]) for each in desk.about()["offers"]]


def test_what_a_person_says_on_the_ticket_while_the_question_is_open_is_offered(
    desk: Desk,
) -> None:
    assert desk.todo
    comment(desk, "Long before.", 8)
    desk.ask()
    comment(desk, "Left, I think.", 9)
    comment(desk, "I built it.", 10, type="Bot")
    comment(desk, marker.stamp("Which way?", "a question"), 11)
    assert offers(desk) == [("bea", "Left, I think.")]
    assert waiting(desk) == {REF: "Which way?"}  # nothing is guessed


def test_an_edited_comment_is_offered_as_it_reads_now_and_a_deleted_one_not(desk: Desk) -> None:
    assert desk.todo and desk.ask()
    comment(desk, "Left.", 9)
    comment(desk, "Right.", 9, "edited")
    comment(desk, "Never mind.", 10)
    comment(desk, "Never mind.", 10, "deleted")
    assert offers(desk) == [("bea", "Right.")]


def test_what_is_said_on_our_own_todo_is_offered_with_its_author(desk: Desk) -> None:
    ref = f"todo:{desk.todo['id']}"
    desk.ask(ref=ref)
    desk.world.operator("POST", f"/todos/{desk.todo['id']}/comments", {"body": "Left."})
    found = desk.about(ref)["offers"]
    assert [(each["author"], each["text"]) for each in found] == [("ana", "Left.")]
