"""Questions on Switchboard's own tickets and todos: they are comments there, as are the reports."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.errors import NotFound
from switchboard.replies import marker
from tests.sessions.desk import Desk


@pytest.fixture
def ticket(desk: Desk) -> dict[str, Any]:
    new = {"kind": "ticket", "repo": "Acme/rocket", "title": "It does not start"}
    made: dict[str, Any] = desk.world.operator("POST", "/threads", new).json
    return made


def said(desk: Desk, ticket: dict[str, Any]) -> list[str]:
    found = desk.world.operator("GET", f"/threads/{ticket['id']}").json["comments"]
    return [each["body"] for each in found]


def test_a_question_on_a_ticket_is_a_comment_with_the_page_as_its_address(
    desk: Desk, ticket: dict[str, Any]
) -> None:
    asked = desk.ask_here("Which way?", ticket["ref"])
    assert (asked.ref, asked.exit_code) == ("ticket:acme/rocket#1", 0)
    assert asked.comment_url.endswith(f"/threads/{ticket['id']}")
    [comment] = said(desk, ticket)
    assert comment.startswith("Which way?\n") and marker.is_marked(comment)


def test_a_ticket_says_by_itself_whose_the_question_is(desk: Desk, ticket: dict[str, Any]) -> None:
    accounts.create_team(desk.world.lib, "core")
    assert desk.ask_here("Which way?", ticket["ref"]).posted
    with pytest.raises(NotFound):
        desk.ask_here("Which way?", ticket["ref"], owner="core")


def test_a_ticket_that_is_not_there_leaves_a_question_that_waits(desk: Desk) -> None:
    assert desk.world.account
    assert desk.ask_here("Which way?", "ticket:acme/rocket#9").exit_code == 1
    assert [each["ref"] for each in desk.open()] == ["ticket:acme/rocket#9"]


def test_an_answer_is_reported_on_the_todo_it_is_about(desk: Desk) -> None:
    ref = f"todo:{desk.todo['id']}"
    assert desk.register(ref).status_code == 201
    assert desk.answer("Left.", ref).json["messages"] == [
        "Queued; the agent was last seen just now."
    ]
    path = f"/todos/{desk.todo['id']}/comments"
    [comment] = desk.world.operator("GET", path).json["comments"]
    assert comment["body"].startswith("> Left.\n") and comment["author"] == {"account": "ana"}
    assert desk.world.agent("POST", "/todos/claim-next").status_code == 204
