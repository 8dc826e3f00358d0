"""The official SDK's server with our tools in it. Importing this module loads the SDK.

One server serves every endpoint: what an agent may see and call, and what it is told, comes from the
caller that the door puts into the request's scope.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as Listed

from switchboard import __version__
from switchboard.access import oauth_programs
from switchboard.errors import Problem
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.mcp import arguments, oauth_routes, registry
from switchboard.mcp.caller import CALLER, Caller
from switchboard.mcp.tools import Tool

log = logging.getLogger(__name__)

_TELLING = ("initialize", "server/discover")  # whose results carry the instructions
_BUG = {"code": "internal", "message": "Something went wrong here. The log has the details."}

Context = ServerRequestContext[Any, Any]


def build(body_bytes: int) -> StreamableHTTPSessionManager:
    """What answers messages of both protocol eras, of up to so many bytes.

    Its Host check stays off: a bearer is asked for before it sees anything, so a page that
    rebinds a name to us has nothing to send. Origins are the door's matter.
    """
    server: Server[Any] = Server(
        "switchboard",
        title="Switchboard",
        version=__version__,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        get_tool_input_schema=lambda _: None,  # no argument of ours is wanted as a header
    )
    server.middleware = [_tell]  # and no tracing
    return StreamableHTTPSessionManager(
        server, json_response=True, stateless=True, max_request_body_size=body_bytes
    )


def beside_oauth(manager: StreamableHTTPSessionManager, lib: Plumbing) -> Any:
    """The ASGI application: the manager's below `/mcp/`, OAuth's elsewhere, where there is any."""
    asked = oauth_routes.build(lib) if oauth_programs.possible(lib) else None

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if asked is not None and not scope["path"].startswith("/mcp/"):
            await asked(scope, receive, send)
        else:
            await manager.handle_request(scope, receive, send)

    return application


def _caller(ctx: Context) -> Caller:
    assert ctx.request is not None
    caller: Caller = ctx.request.scope[CALLER]
    return caller


async def _list_tools(ctx: Context, _: PaginatedRequestParams | None) -> ListToolsResult:
    tools = registry.tools_of(_caller(ctx).agent).values()
    return ListToolsResult(tools=[_listed(tool) for tool in tools])


async def _call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult:
    caller = _caller(ctx)
    tool = registry.tools_of(caller.agent).get(params.name)
    if tool is None:  # not granted and not existing are told alike
        raise MCPError(INVALID_PARAMS, f"Unknown tool: {one_line(params.name, 80)}")
    given, loop = params.arguments or {}, asyncio.get_running_loop()
    return await loop.run_in_executor(None, _run, caller, tool, given)


def _listed(tool: Tool) -> Listed:
    return Listed(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.repeatable or tool.read_only,
            open_world_hint=tool.open_world,
        ),
    )


async def _tell(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Put the caller's own instructions into the results that carry some."""
    result = await call_next(ctx)
    if ctx.method in _TELLING and isinstance(result, dict):
        result["instructions"] = registry.instructions_for(_caller(ctx).agent)
    return result


def _run(caller: Caller, tool: Tool, given: dict[str, Any]) -> CallToolResult:
    """Call the tool, in a thread of its own; a refusal and a bug are results as well."""
    try:
        if caller.refusal is not None:
            raise caller.refusal
        return _result(tool(caller, arguments.check(tool, given)))
    except Problem as problem:
        return _result(_told(problem), is_error=True)
    except Exception:
        log.exception("unexpected error in the tool %s", tool.name)
        return _result(_BUG, is_error=True)


def _told(problem: Problem) -> dict[str, Any]:
    told = {"code": problem.code, "message": problem.detail}
    more = problem.as_dict()
    return told | {name: more[name] for name in ("field", "letter", "retry_after") if name in more}


def _result(value: dict[str, Any], *, is_error: bool = False) -> CallToolResult:
    """The value twice: structured, and as JSON text for clients older than that."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=value,
        is_error=is_error,
    )
