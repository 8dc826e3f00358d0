"""MCP: what the protocol costs beside the JSON route, and eight clients draining one queue at once."""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from itertools import repeat
from pathlib import Path
from statistics import median

import anyio

from benchmarks import load, servers, world
from benchmarks.table import Row
from benchmarks.world import World
from switchboard.config import read_settings
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Endpoint, Todo
from tests.mcp.clients import ACCEPT, MODERN, connected, use

CLIENTS, TODOS = 8, 1_000
ROUNDS, SECONDS = 3, 3.0
SHARE_BAR = 0.4


def rows(valkey: str) -> list[Row]:
    """On SQLite and the box's default of two web processes."""
    with tempfile.TemporaryDirectory(prefix="sbm") as name:
        database = f"sqlite:///{name}/switchboard.db"
        environ = servers.settings(Path(name), database, valkey, ENDPOINT_RATE="0:1")
        made = world.make(environ)
        slug, filled = _fill(environ, made)
        with servers.gunicorn("wsgi:app", environ) as port:
            return [
                *(_beside_json(port, slug, made, filled[0], era) for era in ("2025-11-25", MODERN)),
                _drained(f"http://127.0.0.1:{port}/mcp/{slug}", made, filled),
            ]


def _fill(environ: dict[str, str], made: World) -> tuple[str, list[str]]:
    lib = Plumbing(read_settings(environ))
    new = [ids.new("todo") for _ in range(TODOS)]
    with lib.db.write() as session:
        session.add_all(
            Todo(
                id=id,
                endpoint_id=made.endpoint,
                owner_account_id=made.account,
                queue="default",
                state="pending",
                title="work",
                kind="measured",
                created_at=clock.now(),
            )
            for id in new
        )
        endpoint = session.get(Endpoint, made.endpoint)
        assert endpoint is not None
        slug = endpoint.slug
    lib.db.dispose()
    return slug, new


def _beside_json(port: int, slug: str, made: World, todo: str, version: str) -> Row:
    """One todo read, by the tool and by the route, in turns."""
    bearer = f"Host: 127.0.0.1\r\nAuthorization: Bearer {made.credential}\r\n"
    route = f"GET /api/v1/todos/{todo} HTTP/1.1\r\n{bearer}\r\n".encode()
    body = json.dumps(_message(todo, version)).encode()
    tool = (
        f"POST /mcp/{slug} HTTP/1.1\r\n{bearer}Content-Type: application/json\r\nAccept: {ACCEPT}\r\n"
        f"MCP-Protocol-Version: {version}\r\nMcp-Method: tools/call\r\nMcp-Name: get_todo\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode() + body
    _rate(port, tool)  # both processes have loaded the SDK now
    rounds = [(_rate(port, tool), _rate(port, route)) for _ in range(ROUNDS)]
    share = median(calls / beside for calls, beside in rounds)
    return Row(
        f"tool calls a second over MCP {version}, SQLite",
        f"{median(calls for calls, _ in rounds):.0f}/s ({share:.2f})",
        f"the JSON route {median(beside for _, beside in rounds):.0f}/s",
        f"≥ {SHARE_BAR}",
        share >= SHARE_BAR,
    )


def _message(todo: str, version: str) -> dict[str, object]:
    params: dict[str, object] = {"name": "get_todo", "arguments": {"todo_id": todo}}
    if version == MODERN:
        prefix = "io.modelcontextprotocol"
        params["_meta"] = {
            f"{prefix}/protocolVersion": version,
            f"{prefix}/clientCapabilities": {},
            f"{prefix}/clientInfo": {"name": "benchmark", "version": "1"},
        }
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _rate(port: int, request: bytes) -> float:
    measured = load.flood(port, repeat(request), SECONDS)
    if set(measured.statuses) != {200}:
        raise RuntimeError(f"answered {dict(measured.statuses)}")
    return measured.statuses[200] / measured.seconds


def _drained(url: str, made: World, filled: list[str]) -> Row:
    """Claimed and completed by the official client, half of the clients in each era."""
    started = time.perf_counter()
    worked = anyio.run(_drain_all, url, made.credential)
    seconds = time.perf_counter() - started
    wrong = sum(((Counter(filled) - worked) + (worked - Counter(filled))).values())
    return Row(
        f"of {TODOS} todos drained by {CLIENTS} MCP clients at once: not worked, or twice",
        f"{wrong} ({2 * TODOS / seconds:.0f} calls/s)",
        "-",
        "0",
        wrong == 0,
    )


async def _drain_all(url: str, credential: str) -> Counter[str]:
    worked: Counter[str] = Counter()

    async def drain(era: str) -> None:
        async with connected(url, credential, era) as client:
            while (todo := await use(client, "claim_next"))["id"] is not None:
                await use(client, "complete", todo_id=todo["id"], attempt=todo["attempt"])
                worked[todo["id"]] += 1

    async with anyio.create_task_group() as group:
        for number in range(CLIENTS):
            group.start_soon(drain, ("legacy", MODERN)[number % 2])
    return worked
