"""What was granted is listed and can be called; the rest does not exist."""

from __future__ import annotations

import pytest
from mcp_types import INVALID_PARAMS

from switchboard.access import principals
from switchboard.mcp.registry import FAMILIES
from tests.mcp.clients import call, request, send, tool_names
from tests.world import World

EVERY = [(verb, tool.name) for verb, family in FAMILIES.items() for tool in family.tools]


@pytest.mark.parametrize(
    "verbs",
    [
        ["drain"],
        ["reply"],
        ["connection"],
        ["drain", "reply"],
        ["drain", "webhook", "reply", "connection"],
    ],
    ids="+".join,
)
def test_exactly_the_granted_tools_are_listed_and_the_rest_is_unknown(
    world: World, verbs: list[str]
) -> None:
    agent = world.vend("some", verbs=verbs)
    assert tool_names(world, agent) == [tool for verb, tool in EVERY if verb in verbs]
    for verb, tool in EVERY:
        told = call(world, tool, agent, todo_id="td_x")
        if verb in verbs:
            assert "result" in told, tool
        else:
            error = {"code": INVALID_PARAMS, "message": f"Unknown tool: {tool}"}
            assert told["error"] == error


def test_a_tool_that_is_not_granted_is_told_like_one_that_does_not_exist(world: World) -> None:
    told = call(world, "create_connection", kind="github")["error"]
    made_up = call(world, "create_anything", kind="github")["error"]
    assert told["code"] == made_up["code"]
    assert told["message"].replace("connection", "anything") == made_up["message"]


def test_every_verb_family_that_can_be_granted_has_tools() -> None:
    assert tuple(FAMILIES) == principals.FAMILIES


def test_the_instructions_speak_of_what_was_granted(world: World) -> None:
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "client", "version": "1"},
    }

    def instructions(name: str, verbs: list[str]) -> str:
        agent = world.vend(name, verbs=verbs, queues=["builds", "docs"])
        answer = send(world, request("initialize", hello), by=agent)
        return answer.json["result"]["instructions"]

    drains = instructions("drains", ["drain"])
    assert "drains-" in drains and "builds, docs" in drains
    assert "reply tool" not in drains
    assert (
        "If a doorbell carries reply_to, you may answer the origin with the reply tool, passing its "
        "todo_id; the text is posted publicly." in instructions("replies", ["drain", "reply"])
    )


def test_every_tool_is_described_for_who_has_nothing_else_to_read(world: World) -> None:
    agent = world.vend("all", verbs=list(FAMILIES))
    for tool in send(world, request("tools/list"), by=agent).json["result"]["tools"]:
        assert len(tool["description"]) > 40 and tool["title"], tool["name"]
        assert tool["inputSchema"]["additionalProperties"] is False
        for name, schema in tool["inputSchema"]["properties"].items():
            assert schema["description"], (tool["name"], name)
        assert set(tool["annotations"]) == {
            "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint",
        }  # fmt: skip
    listed = {tool.name: tool for family in FAMILIES.values() for tool in family.tools}
    assert listed["list_todos"].read_only and not listed["claim_next"].read_only
    assert listed["delete_connection"].destructive and not listed["complete"].destructive
    assert listed["reply"].open_world and not listed["comment"].open_world
