"""Doorbells: a notification to the client for each todo that waits, and again while nobody takes it."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification

from switchboard.lib.text import inert

if TYPE_CHECKING:
    from mcp.shared._stream_protocols import WriteStream

CHANNEL = "claude/channel"  # the capability of clients that let a server wake their agent
METHOD = "notifications/claude/channel"
AGAIN_SECONDS = 300.0
MOST = 50
SLOWEST_SECONDS = 60.0
MAX_TITLE = 200
_NO_QUOTES = str.maketrans('“”„‟"', "‘’‚‛＇")  # what stands between quotes ends none


class Bells:
    """Looks at an endpoint's waiting todos and rings for each; remembers when it last did."""

    def __init__(
        self, client: httpx2.AsyncClient, url: str, said: WriteStream[SessionMessage]
    ) -> None:
        self._client = client
        self._todos = f"{url.rpartition('/mcp/')[0]}/api/v1/todos"
        self._said = said
        self._rung: dict[str, float] = {}

    async def ring(self, ready: anyio.Event, every: float) -> None:
        """Look `every` so many seconds, less often while nothing answers; never ends by itself.

        Not before the client is `ready`: one that has not said hello hears no bell.
        """
        await ready.wait()
        pause = every
        while True:
            try:
                waiting = await self._waiting()
            except (httpx2.HTTPError, ValueError, KeyError, TypeError) as error:  # or not ours
                print(f"looking for todos failed: {type(error).__name__}", file=sys.stderr)
                pause = min(pause * 2, SLOWEST_SECONDS)
            else:
                pause = every
                await self._ring_for(waiting)
            await anyio.sleep(pause)

    async def _waiting(self) -> list[dict[str, Any]]:
        answer = await self._client.get(self._todos, params={"state": "pending", "limit": MOST})
        answer.raise_for_status()
        todos: list[dict[str, Any]] = answer.json()["todos"]
        return todos

    async def _ring_for(self, waiting: list[dict[str, Any]]) -> None:
        now = time.monotonic()
        self._rung = {
            todo["id"]: at for todo in waiting if (at := self._rung.get(todo["id"])) is not None
        }
        for todo in waiting:
            if now - self._rung.get(todo["id"], -AGAIN_SECONDS) >= AGAIN_SECONDS:
                self._rung[todo["id"]] = now
                await self._said.send(SessionMessage(bell(todo)))


def bell(todo: Mapping[str, Any]) -> JSONRPCNotification:
    """The notification for one todo: what a stranger wrote stays quoted data on one line."""
    title = inert(str(todo["title"]), MAX_TITLE).translate(_NO_QUOTES)
    meta = {
        "todo_id": todo["id"],
        "queue": todo["queue"],
        "kind": todo["kind"],
        "source": todo["source"] or "",
    }
    if todo["reply_to"]:
        meta["reply_to"] = todo["reply_to"]["kind"]
    content = f"A todo waits on the queue {todo['queue']}. Its title, written by whoever sent it: “{title}”"
    return JSONRPCNotification(
        jsonrpc="2.0", method=METHOD, params={"content": content, "meta": meta}
    )
