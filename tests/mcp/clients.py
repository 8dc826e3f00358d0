"""Two ways to speak MCP to a box: the official client over a socket, and bare messages in process."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from werkzeug.test import TestResponse

from switchboard.access.endpoints import Vended
from tests.servers import Server
from tests.world import World

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
ERAS = ("legacy", MODERN, "auto")  # what the official client calls them
ACCEPT = "application/json, text/event-stream"


def url_of(server: Server, vended: Vended) -> str:
    """Where that endpoint's MCP is, on the server under test."""
    return server.url + urlsplit(vended.endpoint["mcp_url"]).path


@asynccontextmanager
async def connected(url: str, credential: str, era: str = "auto") -> AsyncIterator[Client]:
    """The official client, connected."""
    headers = {"Authorization": f"Bearer {credential}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        yield client


async def use(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must not be refused; its structured result."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert result.structured_content == json.loads(result.content[0].text)
    return result.structured_content


def send(
    world: World,
    body: Any,
    *,
    by: Vended | None = None,
    version: str | None = "2025-11-25",
    **headers: str | None,
) -> TestResponse:
    """Post one message, JSON or raw bytes, as an endpoint's agent. A header of None is left out."""
    vended = by or world.endpoint
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    given = {
        "Authorization": f"Bearer {vended.credential}",
        "Content-Type": "application/json",
        "Accept": ACCEPT,
        "MCP-Protocol-Version": version,
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    kept = {name: value for name, value in given.items() if value is not None}
    return world.client.post(urlsplit(vended.endpoint["mcp_url"]).path, data=raw, headers=kept)


def request(method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": id, "method": method} | (
        {} if params is None else {"params": params}
    )


def tool_names(world: World, by: Vended | None = None) -> list[str]:
    """The tools listed to an endpoint."""
    answer = send(world, request("tools/list"), by=by)
    assert answer.status_code == 200, answer.data
    return [tool["name"] for tool in answer.json["result"]["tools"]]


def call(world: World, tool: str, by: Vended | None = None, **arguments: Any) -> dict[str, Any]:
    """Call a tool; the JSON-RPC answer."""
    answer = send(world, request("tools/call", {"name": tool, "arguments": arguments}), by=by)
    assert answer.status_code == 200, answer.data
    return answer.json


def result(world: World, tool: str, by: Vended | None = None, **arguments: Any) -> Any:
    """The structured result of a call that must not be refused."""
    told = call(world, tool, by, **arguments)["result"]
    assert not told["isError"], told
    assert json.loads(told["content"][0]["text"]) == told["structuredContent"]
    return told["structuredContent"]


def refusal(world: World, tool: str, by: Vended | None = None, **arguments: Any) -> Any:
    """The `{code, message, …}` of a call that must be refused."""
    told = call(world, tool, by, **arguments)["result"]
    assert told["isError"], told
    assert json.loads(told["content"][0]["text"]) == told["structuredContent"]
    return told["structuredContent"]
