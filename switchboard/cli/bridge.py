"""A relay for MCP clients that speak only stdio: what they say goes to an endpoint's MCP URL and back,
untouched, and new todos ring between.

Runs beside the client, on any machine; it needs no settings and no database. Protocol messages are read
and carried by the official SDK's two transports. It outlives a box that is away for a while; ending it
loses nothing, as the queue is the record.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    encode_header_value,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from switchboard.cli.bells import CHANNEL, Bells
from switchboard.cli.carrier import Carrier
from switchboard.errors import Invalid, Unauthenticated, Unavailable

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import ReadStream, WriteStream

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"  # in `_meta`, from revision 2026-07-28 on
CONNECT_SECONDS, ANSWER_SECONDS = 30.0, 300.0


async def run(url: str, credential: str, *, every: float) -> None:
    """Relay until standard input ends; look for new todos `every` so many seconds, 0 for never.

    Raises Unavailable when no Switchboard answers there, Unauthenticated when the credential is not good,
    Invalid when it is another endpoint's.
    """
    headers = {"Authorization": f"Bearer {credential}"}
    timeout = httpx2.Timeout(CONNECT_SECONDS, read=ANSWER_SECONDS)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout, trust_env=False) as client:
        await _try(client, url)
    carrier = Carrier(trust_env=False)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout, transport=carrier) as client:
        await _relay(client, url, every)


async def _relay(client: httpx2.AsyncClient, url: str, every: float) -> None:
    ready = anyio.Event()
    async with (
        stdio_server() as (heard, said),
        streamable_http_client(url, http_client=client) as (answers, calls),
        said,  # closed at the end: both transports wait for that
        calls,
        anyio.create_task_group() as group,
    ):
        if every:
            group.start_soon(Bells(client, url, said).ring, ready, every)
        group.start_soon(_back, answers, said, ready)
        await _forth(heard, calls, ready)
        group.cancel_scope.cancel()


async def _try(client: httpx2.AsyncClient, url: str) -> None:
    """Say what is wrong before a client waits for an answer that never comes."""
    base, _, slug = url.rpartition("/mcp/")
    try:
        answer = await client.get(f"{base}/api/v1/whoami")
    except httpx2.HTTPError as error:
        raise _nothing_at(url, type(error).__name__) from None
    if answer.status_code in (401, 403):
        raise Unauthenticated("The credential is not known there, or has ended.")
    if answer.status_code == 429:
        return
    try:
        is_slug = answer.json()["endpoint"]["slug"]
    except (ValueError, KeyError, TypeError):
        raise _nothing_at(url, f"HTTP {answer.status_code}") from None
    if is_slug != slug.rstrip("/"):
        raise Invalid(
            "The credential is another endpoint's; its URL ends in its slug.", field="url"
        )


def _nothing_at(url: str, why: str) -> Unavailable:
    return Unavailable(f"Nothing answers at {url} ({why}).", "unreachable")


async def _forth(
    heard: ReadStream[SessionMessage | Exception],
    calls: WriteStream[SessionMessage],
    ready: anyio.Event,
) -> None:
    async for message in heard:
        if isinstance(message, Exception):  # a line that is no message: nobody to answer
            print("a line on standard input is no MCP message", file=sys.stderr)
            continue
        metadata = ClientMessageMetadata(headers=_headers(message.message))
        await calls.send(SessionMessage(message.message, metadata=metadata))
        told = message.message
        if isinstance(told, JSONRPCNotification) and told.method == "notifications/initialized":
            ready.set()


def _headers(message: Any) -> dict[str, str]:
    """What the newer revision wants said in HTTP headers too; none for an older one."""
    if not isinstance(message, JSONRPCRequest | JSONRPCNotification):
        return {}
    params = message.params or {}
    version = (params.get("_meta") or {}).get(VERSION_KEY)
    if not isinstance(version, str):
        return {}
    name = params.get("name", params.get("uri"))
    named = {MCP_NAME_HEADER: encode_header_value(name)} if isinstance(name, str) else {}
    return {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: message.method, **named}


async def _back(
    answers: ReadStream[SessionMessage | Exception],
    said: WriteStream[SessionMessage],
    ready: anyio.Event,
) -> None:
    async for message in answers:
        if isinstance(message, Exception):
            print(f"the endpoint did not answer: {type(message).__name__}", file=sys.stderr)
            continue
        await said.send(_with_channel(message))
        # the newer revision has no handshake: who was answered anything else is there
        told = message.message
        if isinstance(told, JSONRPCResponse) and "protocolVersion" not in told.result:
            ready.set()


def _with_channel(message: SessionMessage) -> SessionMessage:
    """An answer to `initialize` or `server/discover` also says that bells may ring."""
    told = message.message
    if not isinstance(told, JSONRPCResponse) or "capabilities" not in told.result:
        return message
    capabilities = dict(told.result["capabilities"])
    capabilities["experimental"] = {**(capabilities.get("experimental") or {}), CHANNEL: {}}
    result = {**told.result, "capabilities": capabilities}
    return SessionMessage(told.model_copy(update={"result": result}), metadata=message.metadata)
