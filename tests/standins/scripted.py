"""What the smaller stand-ins share: a real HTTP server that answers what a test tells it to, and counts.

A provider's stand-in is its routes, how it knows a credential, and what its answers may speak of. The
recorded answers are `answers/<provider>/*.json`, in the format that `standins/github.py` describes; what
goes wrong on the way to an answer is in FAULTS.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.standins.github import Answer, Request, wire

ANSWERS = Path(__file__).parent / "answers"
FOLLOWED = "/followed"


@dataclass(frozen=True)
class Route:
    """A path below whatever prefix the server is mounted at, and what it answers unless told."""

    method: str
    pattern: str
    default: str


@dataclass(frozen=True)
class Provider:
    """What a stand-in stands in for.

    `knows` says from the lower-case headers whether the credential is one; `stranger` is the answer to
    one that is not, `lost` that to a path that is no route. `facts` are what answers may speak of beside
    the request's own (see `StandIn.facts`).
    """

    name: str
    routes: Sequence[Route]
    knows: Callable[[Mapping[str, str]], bool]
    stranger: str
    lost: str
    facts: Mapping[str, Any]


@functools.cache
def recorded(provider: str) -> dict[str, Answer]:
    """Every recorded answer of a provider by name (its file's stem)."""
    files = sorted((ANSWERS / provider).glob("*.json"))
    return {file.stem: Answer(file.stem, **json.loads(file.read_text("utf-8"))) for file in files}


class StandIn:
    """The running stand-in; a context manager. `url` is its root."""

    def __init__(self, provider: Provider) -> None:
        self.provider = provider
        self.numbers = count(1001)
        self._requests: list[Request] = []
        self._programmed: deque[str] = deque()
        self._always: str | None = None
        self._arrived = threading.Condition()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def program(self, answers: str | Sequence[str]) -> None:
        """Answer with one name for ever, or with a sequence and then the default.

        Names are those of `recorded()` and `FAULTS`; any other raises ValueError.
        """
        names = [answers] if isinstance(answers, str) else list(answers)
        known = {*recorded(self.provider.name), *FAULTS}
        if unknown := [name for name in names if name not in known]:
            raise ValueError(f"no such answer: {', '.join(unknown)}")
        self._always = answers if isinstance(answers, str) else None
        self._programmed = deque([] if self._always else names)

    @property
    def requests(self) -> list[Request]:
        """Every request that arrived whole, oldest first."""
        with self._arrived:
            return list(self._requests)

    @property
    def posts(self) -> list[Request]:
        """Every POST so far, whatever it was answered."""
        return [request for request in self.requests if request.method == "POST"]

    def forget(self) -> None:
        """Empty the record."""
        with self._arrived:
            self._requests.clear()

    def wait_for_posts(self, number: int, seconds: float = 5.0) -> list[Request]:
        """The posts once there are `number`; TimeoutError when they do not come in time."""
        deadline = time.monotonic() + seconds
        with self._arrived:
            while sum(each.method == "POST" for each in self._requests) < number:
                if not self._arrived.wait(deadline - time.monotonic()):
                    raise TimeoutError(f"{number} posts did not come in {seconds} s")
        return self.posts

    def record(self, request: Request) -> None:
        """Count one request."""
        with self._arrived:
            self._requests.append(request)
            self._arrived.notify_all()

    def anew(self) -> Self:
        """The same with an empty record and the default answers."""
        self.program([])
        self.forget()
        return self

    def facts(self, payload: Any, number: int, own: str) -> Mapping[str, Any]:
        """What an answer may speak of: `own` (the server's URL with its prefix), `id`, `text`."""
        text = payload.get("body") if isinstance(payload, dict) else None
        return {"own": own, "id": number, "text": text if isinstance(text, str) else ""}

    def choose(self, route: Route | None, headers: Mapping[str, str]) -> str:
        """The answer's name: no route, no credential, then the script, then the route's default."""
        if route is None:
            return self.provider.lost
        if not self.provider.knows(headers):
            return self.provider.stranger
        if self._always:
            return self._always
        return self._programmed.popleft() if self._programmed else route.default


class _Server(ThreadingHTTPServer):
    """One daemon thread per connection; quiet about clients that leave."""

    def __init__(self, standin: StandIn) -> None:
        self.standin = standin
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests are about; anything else is a bug here."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One connection: read a request whole, count it, then answer as programmed."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def serve(self) -> None:
        """One request."""
        standin = self.server.standin
        body, payload = self.rfile.read(int(self.headers.get("Content-Length") or 0)), None
        with contextlib.suppress(ValueError):
            payload = json.loads(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        route, parts = self.match(standin.provider)
        name = standin.choose(route, headers)
        standin.record(Request(self.command, self.path, headers, payload, time.time(), name))
        if name in FAULTS:
            FAULTS[name](self)
            return
        own = f"http://{self.headers.get('Host', '')}{parts.get('prefix', '')}"
        said = standin.facts(payload, next(standin.numbers), own)
        facts = {**standin.provider.facts, **parts, **said}
        self.wfile.write(recorded(standin.provider.name)[name].wire(facts))

    do_GET = do_POST = serve

    def match(self, provider: Provider) -> tuple[Route | None, dict[str, str]]:
        """The route this request is for, if any, and the parts of its path."""
        path = self.path.partition("?")[0]
        for route in provider.routes:
            found = re.fullmatch(r"(?P<prefix>(?:/[a-z]+)*?)" + route.pattern, path)
            if found and route.method == self.command:
                return route, found.groupdict()
        return None, {}

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: the record is what tests read."""


def reset_after_write(handler: BaseHTTPRequestHandler) -> None:
    """What was posted stands there, the connection is reset (RST) before any answer."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.close(handler.connection.detach())


def hang_after_write(handler: BaseHTTPRequestHandler) -> None:
    """What was posted stands there, and no answer comes within any test's patience."""
    handler.close_connection = True
    time.sleep(3)


def redirect(handler: _Handler) -> None:
    """Point at a place where a follower would be counted."""
    handler.wfile.write(wire(302, {"Location": FOLLOWED}, b""))


FAULTS: dict[str, Callable[[Any], None]] = {
    "reset_after_write": reset_after_write,
    "hang_after_write": hang_after_write,
    "redirect": redirect,
}
