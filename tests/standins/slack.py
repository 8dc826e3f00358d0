"""The Slack we script: a real HTTP server that answers what a test tells it to, and counts.

The recorded answers are `answers/slack/*.json`, in the format that `standins/github.py` describes; what
goes wrong on the way to an answer is in FAULTS. Knows nothing of the product.

    with SlackStandIn() as slack:
        slack.program(["not_in_channel"])     # then the default again
        ...
        assert [post.json["text"] for post in slack.posts] == ["On it."]
"""

import contextlib
import functools
import json
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any, Self

from tests.standins.github import Answer, Request, wire

ANSWERS = Path(__file__).parent / "answers" / "slack"
METHODS = {
    "/api/chat.postMessage": "posted",
    "/api/auth.test": "tested",
}  # and their default answers
TEAM, BOT = "T0AB1CD2E", "B0FIXER01"


@functools.cache
def recorded() -> dict[str, Answer]:
    """Every recorded answer by name (its file's stem)."""
    files = sorted(ANSWERS.glob("*.json"))
    return {file.stem: Answer(file.stem, **json.loads(file.read_text("utf-8"))) for file in files}


class SlackStandIn:
    """The running stand-in; a context manager. `url` is the base of its Web API."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.numbers = count(1)
        self._programmed: deque[str] = deque()
        self._always: str | None = None
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/api"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def program(self, answers: str | Sequence[str]) -> None:
        """Answer with one name for ever, or with a sequence and then the default.

        Names are those of `recorded()` and `FAULTS`; any other raises ValueError.
        """
        names = [answers] if isinstance(answers, str) else list(answers)
        if unknown := [name for name in names if name not in FAULTS and name not in recorded()]:
            raise ValueError(f"no such answer: {', '.join(unknown)}")
        self._always = answers if isinstance(answers, str) else None
        self._programmed = deque([] if self._always else names)

    @property
    def posts(self) -> list[Request]:
        """Every chat.postMessage so far, whatever it was answered."""
        return [one for one in self.requests if one.path == "/api/chat.postMessage"]

    def forget(self) -> None:
        """Empty the record."""
        self.requests.clear()

    def next_answer(self, path: str, authorized: bool) -> str:
        """No token first, then the script, then what Slack would say."""
        if path not in METHODS:
            return "unknown_method"
        if not authorized:
            return "not_authed"
        if self._always:
            return self._always
        return self._programmed.popleft() if self._programmed else METHODS[path]


class _Server(ThreadingHTTPServer):
    """One daemon thread per connection; quiet about clients that leave."""

    def __init__(self, standin: SlackStandIn) -> None:
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
    payload: Any = None

    def do_POST(self) -> None:
        standin = self.server.standin
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with contextlib.suppress(ValueError):
            self.payload = json.loads(body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        name = standin.next_answer(
            self.path, headers.get("authorization", "").startswith("Bearer ")
        )
        standin.requests.append(
            Request(self.command, self.path, headers, self.payload, time.time(), name)
        )
        if name in FAULTS:
            FAULTS[name](self)
        else:
            self.wfile.write(recorded()[name].wire(self.facts(next(standin.numbers))))

    def facts(self, number: int) -> Mapping[str, Any]:
        """What an answer may speak of."""
        said = self.payload if isinstance(self.payload, dict) else {}
        ts = f"1767260000.{number:06d}"
        return {
            "team": TEAM,
            "bot": BOT,
            "ts": ts,
            "thread_ts": "",
            "channel": "",
            "text": "",
            **said,
        }

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: the record is what tests read."""


def reset_after_write(handler: _Handler) -> None:
    """The message stands there, the connection is reset (RST) before any answer."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.close(handler.connection.detach())


def hang_after_write(handler: _Handler) -> None:
    """The message stands there, and no answer comes within any test's patience."""
    handler.close_connection = True
    time.sleep(3)


def redirect(handler: _Handler) -> None:
    """Point at a place where a follower would be counted."""
    handler.wfile.write(wire(302, {"Location": "/api/followed"}, b""))


FAULTS: dict[str, Callable[[_Handler], None]] = {
    "reset_after_write": reset_after_write,
    "hang_after_write": hang_after_write,
    "redirect": redirect,
}
