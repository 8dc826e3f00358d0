"""The official client in both protocol eras, against real web and worker processes."""

from __future__ import annotations

import anyio
import pytest
from mcp_types import METHOD_NOT_FOUND

from switchboard.access import endpoints
from switchboard.access.endpoints import Vended
from switchboard.access.principals import Machine
from tests.mcp.clients import ERAS, HANDSHAKES, MODERN, connected, request, send, url_of, use
from tests.servers import Server, serve, worker
from tests.standins.github import GitHubStandIn
from tests.world import World

DRAIN = [
    "list_todos", "get_todo", "claim_next", "claim", "heartbeat", "release", "complete", "fail",
    "comment", "list_comments",
]  # fmt: skip


@pytest.mark.timeout(180)
@pytest.mark.setting(REPLY_WAIT_SECONDS="20")
def test_an_agent_lists_claims_answers_and_completes_in_every_era(
    world: World, environ: dict[str, str], github: GitHubStandIn, subtests: pytest.Subtests
) -> None:
    assert world.source and world.connection
    for number, _ in enumerate(ERAS, 1):
        assert world.deliver(world.issue(number)).status_code == 202
    with worker(environ), serve(environ) as server:
        for number, era in enumerate(ERAS, 1):
            with subtests.test(era):
                anyio.run(_works, url_of(server, world.endpoint), world.endpoint, era, number)
    assert [post.json["body"] for post in github.posts] == [f"On it, in {era}." for era in ERAS]


async def _works(url: str, vended: Vended, era: str, number: int) -> None:
    async with connected(url, vended.credential, era) as client:
        assert client.protocol_version == ("2025-11-25" if era == "legacy" else MODERN)
        if era != MODERN:  # who pins that revision asks nothing before he calls
            assert "If a doorbell carries reply_to, you may answer" in (client.instructions or "")
            assert vended.endpoint["slug"] in (client.instructions or "")
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [*DRAIN, "reply", "get_reply"]
        todo = await use(client, "claim_next")
        assert (todo["subject"], todo["state"]) == (f"acme/rocket#{number}", "claimed")
        assert todo["reply_to"]["kind"] == "forge_comment"
        claim = {"todo_id": todo["id"], "attempt": todo["attempt"]}
        said = await use(client, "reply", text=f"On it, in {era}.", **claim)
        assert (said["state"], said["duplicate"]) == ("sent", False)
        again = await use(client, "reply", text=f"On it, in {era}.", **claim)
        assert (again["reply_id"], again["duplicate"]) == (said["reply_id"], True)
        assert (await use(client, "get_reply", reply_id=said["reply_id"]))["state"] == "sent"
        done = await use(client, "complete", result={"era": era}, **claim)
        assert (done["state"], done["replies"]["count"]) == ("done", 1)
        lost = await client.call_tool("heartbeat", claim)
        assert lost.is_error and lost.structured_content["code"] == "not_claimed"


@pytest.mark.parametrize("version", HANDSHAKES)
def test_every_handshake_revision_is_spoken_as_asked(world: World, version: str) -> None:
    hello = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"},
    }
    said = send(world, request("initialize", hello), version=None).json["result"]
    assert said["protocolVersion"] == version
    assert said["serverInfo"]["name"] == "switchboard"
    assert "claim_next" in said["instructions"]
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert send(world, ready, version=version).status_code == 202
    called = send(world, request("tools/call", {"name": "claim_next"}), version=version)
    # clients older than structured results read the text, so it holds the same
    assert called.json["result"]["content"] == [{"type": "text", "text": '{"id":null}'}]


@pytest.mark.parametrize(
    "method", ["resources/list", "prompts/list", "subscriptions/listen", "no/such"]
)
@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
def test_what_is_not_offered_is_an_unknown_method(world: World, version: str, method: str) -> None:
    params = {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        },
        "notifications": {},
    }
    answer = send(world, request(method, params), version=version, Mcp_Method=method)
    assert answer.json["error"]["code"] == METHOD_NOT_FOUND, answer.data


@pytest.mark.timeout(120)
@pytest.mark.parametrize("era", ["legacy", MODERN])
def test_a_credential_that_ends_is_refused_on_the_next_call(
    world: World, environ: dict[str, str], era: str
) -> None:
    revoked = world.vend("revoked")
    with serve(environ) as server:
        anyio.run(_is_shut_out, server, revoked, era, world)


async def _is_shut_out(server: Server, vended: Vended, era: str, world: World) -> None:
    url = url_of(server, vended)
    async with connected(url, vended.credential, era) as client:
        assert await use(client, "claim_next") == {"id": None}
        endpoints.revoke(world.lib, Machine(), vended.endpoint["slug"])
        with pytest.raises(Exception, match="error response"):
            await client.call_tool("claim_next", {})
