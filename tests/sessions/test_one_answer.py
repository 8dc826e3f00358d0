"""An answer that names its question reaches the agent as the answer to that one, once, or not at all."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from sqlalchemy import update

from switchboard.access.principals import Machine
from switchboard.errors import NotFound, Problem
from switchboard.lib import clock
from switchboard.models import SessionMessage
from switchboard.replies.accept import Waiting
from switchboard.sessions import answering, questions, registry
from switchboard.sessions.answering import Answer
from switchboard.sessions.registry import NewPane
from tests.sessions.desk import REF, Desk


def asked(desk: Desk, question: str = "Which way?") -> str:
    """The id of a question that waits; the agent has a mailbox."""
    assert desk.todo and desk.register().status_code == 201
    desk.ask(question)
    return str(desk.open()[0]["id"])


def test_of_twenty_answers_at_once_one_is_brought_and_the_others_are_told_so(desk: Desk) -> None:
    question, who = asked(desk), desk.operator

    def answer(number: int) -> str:
        given = Answer(REF, f"Answer {number}.", comment=False, question=question)
        try:
            answering.answer(desk.world.lib, who, given, Waiting(0), via="api")
        except Problem as problem:
            return f"{problem.code}: {problem.detail}"
        return "brought"

    with ThreadPoolExecutor(8) as pool:
        told = sorted(pool.map(answer, range(20)))
    refused = (
        "question_closed: This question does not wait any more. ana answered it before you. "
        "Yours was not sent."
    )
    assert told == ["brought", *[refused] * 19]
    assert len(desk.collect().json["messages"]) == 1


def test_an_answer_to_a_question_that_another_replaced_is_not_sent(desk: Desk) -> None:
    old = asked(desk, "May I rename it?")
    desk.ask("May I delete everything?")
    refused = desk.answer("Yes.", question=old)
    assert (refused.status_code, refused.json["code"]) == (409, "question_closed")
    assert "Another took its place" in refused.json["detail"]
    assert desk.collect().json["messages"] == []
    assert [each["question"] for each in desk.open()] == ["May I delete everything?"]


def test_answered_elsewhere_closes_no_question_that_nobody_has_seen(desk: Desk) -> None:
    old = asked(desk, "May I rename it?")
    desk.ask("May I delete everything?")
    with pytest.raises(NotFound, match="asks another one"):
        questions.answered_elsewhere(desk.world.lib, desk.operator, REF, question=old)
    assert [each["question"] for each in desk.open()] == ["May I delete everything?"]


def test_an_answer_names_a_question_of_its_work_item(desk: Desk) -> None:
    asked(desk)
    for stranger in ("ev_nothing", desk.events()[-1]["id"]):
        refused = desk.answer(question=stranger)
        assert (refused.status_code, refused.json["field"]) == (422, "question")


def left_behind(desk: Desk) -> str:
    """A question whose answer was taken by a process that was killed before it reached the pane."""
    assert desk.world.connection
    registry.register_pane(desk.world.lib, Machine(), NewPane(REF, "gone:0.0"))
    desk.ask_here()
    question = str(desk.open()[0]["id"])
    with desk.world.lib.db.write() as session:
        given = Answer(REF, "Left.", question=question)
        answering.take(desk.world.lib, session, desk.operator, given, via="page")
    return question


def test_while_an_answer_is_on_its_way_to_a_pane_no_other_one_is_taken(desk: Desk) -> None:
    refused = desk.answer(question=left_behind(desk))
    assert refused.json["code"] == "question_closed"
    assert "An answer by ana is just being brought." in refused.json["detail"]


def test_an_answer_whose_process_was_killed_is_unknown_and_its_question_waits(desk: Desk) -> None:
    question = left_behind(desk)
    with desk.world.lib.db.write() as session:
        session.execute(
            update(SessionMessage).values(created_at=clock.now() - timedelta(seconds=61))
        )
    about = desk.about()
    assert about["open"]["id"] == question
    [receipt] = about["receipts"]
    assert (receipt["state"], receipt["text"]) == ("unknown", "Left.")
    assert "look into the pane" in receipt["trouble"]
    assert (
        desk.answer(question=question).status_code == 404
    )  # looked for the pane: it may be answered
