"""The session family: an agent with nothing but MCP asks, waits, and is answered by a human."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from switchboard.access.endpoints import Vended
from tests.mcp.clients import refusal, request, result, send, tool_names
from tests.standins.github import GitHubStandIn
from tests.world import World

REF = "github:acme/rocket#7"
TOOLS = ["register_session", "ask", "wait_for_answer", "acknowledge"]


@pytest.fixture
def robot(world: World) -> Vended:
    """An agent that holds the todo of the work item, with a connection that can answer it."""
    made = world.vend("robot", verbs=["drain", "reply", "session"])
    source = world.add_source("robots", to=["robot"])
    assert world.connection
    assert world.deliver(world.issue(7), source=source).status_code == 202
    world.claim(by=made)
    return made


def answer(world: World, text: str = "Postgres, please.") -> Any:
    """What the operator says on the work item."""
    given = {"ref": REF, "text": text, "comment": False}
    told = world.operator("POST", "/sessions/reply", given)
    assert told.status_code == 200, told.data
    return told.json


def test_an_agent_asks_is_answered_and_acknowledges(world: World, robot: Vended) -> None:
    opened = result(world, "register_session", robot, ref=REF)
    assert (opened["ref"], opened["transport"], opened["endpoint"]) == (REF, "mailbox", "robot")
    asked = result(world, "ask", robot, ref=REF, question="Which database?", actor="robot 2")
    assert (asked["ref"], asked["duplicate"]) == (REF, False)
    assert result(world, "wait_for_answer", robot, ref=REF)["messages"] == []
    assert answer(world)["messages"] == ["Queued; the agent was last seen just now."]
    [heard] = result(world, "wait_for_answer", robot, ref=REF, wait=5)["messages"]
    assert (heard["text"], heard["actor"]) == ("Postgres, please.", "ana")
    assert heard["framed"].endswith(f"(ana) to your question on {REF}:\n\nPostgres, please.")
    [again] = result(world, "wait_for_answer", robot, ref=REF)["messages"]
    assert again["id"] == heard["id"]
    assert result(world, "acknowledge", robot, message_id=heard["id"])["state"] == "read"
    assert result(world, "wait_for_answer", robot, ref=REF)["messages"] == []


def test_a_waiting_agent_hears_the_answer_as_it_comes(world: World, robot: Vended) -> None:
    result(world, "register_session", robot, ref=REF)
    with ThreadPoolExecutor() as pool:
        heard = pool.submit(result, world, "wait_for_answer", robot, ref=REF, wait=20)
        time.sleep(0.3)
        answer(world)
        began = time.monotonic()
        assert [each["text"] for each in heard.result()["messages"]] == ["Postgres, please."]
    assert time.monotonic() - began < 5


def test_an_agent_reads_nobody_elses_answers(world: World, robot: Vended) -> None:
    result(world, "register_session", robot, ref=REF)
    answer(world)
    [heard] = result(world, "wait_for_answer", robot, ref=REF)["messages"]
    other = world.vend("other", verbs=["drain", "session"])
    assert refusal(world, "wait_for_answer", other, ref=REF)["code"] == "not_found"
    assert refusal(world, "acknowledge", other, message_id=heard["id"])["code"] == "not_found"
    assert refusal(world, "register_session", other, ref=REF)["code"] == "not_claimed"


@pytest.mark.parametrize("ref", ["github:acme/rocket#8", "ticket:acme/rocket#1"])
def test_on_another_work_item_nothing_is_posted_and_the_wait_is_seen(
    world: World, robot: Vended, github: GitHubStandIn, ref: str
) -> None:
    asked = result(world, "ask", robot, ref=ref, question="Which database?")
    assert (asked["comment_posted"], asked["exitCode"], github.posts) == (False, 1, [])
    [event] = world.operator("GET", "/events?type=session.awaiting_input").json["events"]
    assert (event["ref"], event["data"]["comment_posted"]) == (ref, False)


@pytest.mark.parametrize(
    ("tool", "wrong", "code"),
    [
        ("ask", {"ref": "rocket", "question": "x"}, "malformed_ref"),
        ("ask", {"ref": REF, "question": " \n"}, "empty_text"),
        ("ask", {"ref": REF, "question": "x" * 20_000}, "invalid_argument"),
        ("register_session", {"ref": "github:acme/rocket"}, "malformed_ref"),
        ("wait_for_answer", {"ref": REF, "wait": 26}, "invalid_argument"),
        ("wait_for_answer", {"ref": REF}, "not_found"),
        ("acknowledge", {"message_id": "sm_nothing"}, "not_found"),
    ],
)
def test_what_is_no_question_or_no_mailbox_is_refused(
    world: World, robot: Vended, tool: str, wrong: dict[str, Any], code: str
) -> None:
    told = refusal(world, tool, robot, **wrong)
    assert told["code"] == code and told["message"]


def test_the_tools_are_listed_to_whoever_was_granted_them(world: World, robot: Vended) -> None:
    assert [name for name in tool_names(world, robot) if name in TOOLS] == TOOLS
    assert not set(TOOLS) & set(tool_names(world))


def test_an_agent_is_told_how_asking_works(world: World, robot: Vended) -> None:
    given = {"name": "t", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": given}
    told = send(world, request("initialize", params), by=robot).json["result"]["instructions"]
    assert [
        tool for tool in TOOLS if tool not in told.replace("acknowledge it", "acknowledge")
    ] == []


def test_no_tool_registers_a_pane(world: World, robot: Vended) -> None:
    told = refusal(world, "register_session", robot, ref=REF, target="work:0.0")
    assert (told["code"], told["field"]) == ("invalid_argument", "target")
