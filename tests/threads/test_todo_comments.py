"""Agents and people talk on a todo: on its ticket, or where it has none on the todo itself."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.access import accounts, endpoints, login
from tests.threads.conftest import Filing
from tests.world import World


def comment(world: World, todo: dict[str, Any], body: str = "Looking.", **by: Any) -> Any:
    return world.agent("POST", f"/todos/{todo['id']}/comments", {"body": body}, **by)


def said(world: World, todo: dict[str, Any]) -> list[str]:
    listed = world.agent("GET", f"/todos/{todo['id']}/comments").json["comments"]
    return [each["body"] for each in listed]


def test_an_agent_comments_on_the_todo_it_holds(world: World) -> None:
    todo = world.claimed()
    answer = comment(world, todo)
    assert (answer.status_code, answer.json["author"]) == (201, {"endpoint": "fixer"})
    assert (answer.json["todo"], answer.json["thread"]) == (todo["id"], None)
    assert (todo["thread"], said(world, todo)) == (None, ["Looking."])


def test_what_is_said_on_a_tickets_todo_is_said_on_the_ticket(world: World, ci: Filing) -> None:
    ticket = ci.ticket()
    todo = world.claim()
    assert comment(world, todo).json["thread"] == ticket["id"]
    world.operator("POST", f"/threads/{ticket['id']}/comments", {"body": "Thank you."})
    assert said(world, todo) == ["Looking.", "Thank you."]
    thread = world.operator("GET", f"/threads/{ticket['id']}").json
    assert [each["author"] for each in thread["comments"]] == [
        {"endpoint": "fixer"},
        {"account": "ana"},
    ]


def test_an_agent_that_held_the_todo_may_still_comment(world: World) -> None:
    todo = world.claimed()
    world.agent("POST", f"/todos/{todo['id']}/complete", {})
    assert comment(world, todo, "Done, by the way.").status_code == 201


def test_nobody_comments_on_what_was_never_claimed(world: World) -> None:
    todo = world.deliver(world.issue(1)).json["todos"][0]
    answer = comment(world, todo)
    assert (answer.status_code, answer.json["code"]) == (409, "not_claimed")


def test_another_endpoints_todo_is_not_there(world: World) -> None:
    todo = world.claimed()
    other = world.vend("other")
    assert comment(world, todo, by=other).status_code == 404
    path = f"/todos/{todo['id']}/comments"
    assert world.agent("GET", path, by=other).status_code == 404
    assert said(world, todo) == []


def test_an_agent_needs_the_drain_verbs(world: World) -> None:
    todo = world.claimed()
    narrow = world.vend("narrow", verbs=["reply"])
    assert comment(world, todo, by=narrow).json["code"] == "forbidden"


def test_the_letter_of_whoever_vended_the_endpoint_counts_at_each_use(world: World) -> None:
    assert world.account
    ana = login.with_token(world.lib, world.operator_token)
    vended = endpoints.vend(world.lib, ana, "hers", verbs=["drain"])
    source = world.add_source("s", to=["hers"])
    world.deliver(world.issue(1), source=source)
    todo = world.claim(by=vended)
    assert comment(world, todo, by=vended).status_code == 201
    accounts.set_letters(world.lib, "ana", "nflkax")
    answer = comment(world, todo, by=vended)
    assert (answer.status_code, answer.json["letter"]) == (403, "c")


@pytest.mark.parametrize("body", ["", " \n", "\u200b", "x" * 32_769])
def test_a_text_is_not_empty_and_not_endless(world: World, body: str) -> None:
    answer = comment(world, world.claimed(), body)
    assert (answer.status_code, answer.json["field"]) == (422, "body")


def test_an_operator_comments_on_a_todo_in_view(world: World) -> None:
    todo = world.deliver(world.issue(1)).json["todos"][0]
    path = f"/todos/{todo['id']}/comments"
    answer = world.operator("POST", path, {"body": "Wait for me."})
    assert (answer.status_code, answer.json["author"]) == (201, {"account": "ana"})
    assert len(world.operator("GET", path).json["comments"]) == 1


def test_an_operator_who_does_not_see_the_todo_sees_no_comments(world: World, ben: Any) -> None:
    path = f"/todos/{world.claimed()['id']}/comments"
    assert ben("GET", path).status_code == 404
    assert ben("POST", path, {"body": "x"}).status_code == 404
