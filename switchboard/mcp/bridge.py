"""From a thread that serves a request to the SDK's event loop, and back.

One loop a process, in a thread that starts with the first message: after the fork, and only where an
agent speaks MCP, since the SDK takes some 50 MB.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from switchboard.errors import Unavailable
from switchboard.lib.plumbing import Plumbing

SPARE_SECONDS = 60.0  # beyond the longest wait for a reply; a tool that takes longer is stuck
RETRY_AFTER = 5

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Application = Callable[
    [Scope, Callable[[], Awaitable[Event]], Callable[[Event], Awaitable[None]]], Awaitable[None]
]


@dataclass
class Answer:
    """What the ASGI application sent."""

    status: int = 500
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    @property
    def content_type(self) -> str:
        """Of the body; an empty one is JSON too."""
        given = dict(self.headers)
        return given.get("content-type", "application/json")


@dataclass(frozen=True)
class Running:
    """The loop, what it serves, and what ends it."""

    loop: asyncio.AbstractEventLoop
    application: Application
    over: asyncio.Event


class Bridge:
    """Hands whole HTTP messages to the SDK and waits for its whole answers."""

    def __init__(self, lib: Plumbing, body_bytes: int) -> None:
        self._lib = lib
        self._threads: int = lib.settings["WEB_THREADS"]
        self._patience = lib.settings["REPLY_WAIT_SECONDS"] + SPARE_SECONDS
        self._body_bytes = body_bytes
        self._starting = threading.Lock()
        self._running: Running | None = None

    def exchange(self, scope: Scope, body: bytes) -> Answer:
        """The answer to one message. Raises Unavailable when it takes far too long."""
        running = self._running or self._start()
        exchange = _exchange(running.application, scope, body)
        going = asyncio.run_coroutine_threadsafe(exchange, running.loop)
        try:
            return going.result(self._patience)
        except TimeoutError:
            going.cancel()
            raise Unavailable("This took too long.", retry_after=RETRY_AFTER) from None

    def close(self) -> None:
        """End the loop, if it runs, for whoever builds more than one application in a process."""
        if self._running is not None:
            self._running.loop.call_soon_threadsafe(self._running.over.set)

    def _start(self) -> Running:
        with self._starting:
            if self._running is None:
                from switchboard.mcp import server  # late: it loads the SDK

                manager = server.build(self._body_bytes)
                application = server.beside_oauth(manager, self._lib)
                ready: Future[Running] = Future()
                serving = _serve(manager, application, self._threads, ready)
                threading.Thread(target=asyncio.run, args=(serving,), daemon=True).start()
                self._running = ready.result()
            return self._running


async def _serve(
    manager: Any, application: Application, threads: int, ready: Future[Running]
) -> None:
    """Hold the manager open until it is over; its tools run in as many threads as requests do."""
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(ThreadPoolExecutor(threads, "tool"))
    try:
        async with manager.run():
            ready.set_result(Running(loop, application, over))
            await over.wait()
    except BaseException as error:
        if not ready.done():
            ready.set_exception(error)
        raise


async def _exchange(application: Application, scope: Scope, body: bytes) -> Answer:
    """Call an ASGI application with a body that is all there, and collect what it sends."""
    answer, unread = Answer(), [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Event:
        if unread:
            return unread.pop()
        await asyncio.Event().wait()  # whether the client hung up is not told to us
        raise AssertionError

    async def send(event: Event) -> None:
        if event["type"] == "http.response.start":
            answer.status = event["status"]
            answer.headers = [
                (k.decode("latin-1"), v.decode("latin-1")) for k, v in event["headers"]
            ]
        else:
            answer.body += event.get("body", b"")

    await application(scope, receive, send)
    return answer
