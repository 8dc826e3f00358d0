"""A receiver of notify hooks: a real HTTP server that keeps every call as it came, and answers as told."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

WORDS = b"canary-of-the-receivers-words"
HANG = "hang"
Answer = int | str  # a status, or HANG


@dataclass(frozen=True)
class Call:
    """One call that arrived: its raw body and its headers, names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


class Receiver:
    """The running receiver; a context manager. `port` 0 is any free one."""

    def __init__(self, port: int = 0) -> None:
        self._calls: list[Call] = []
        self._answers: deque[Answer] = deque()
        self._always: Answer = 204
        self._arrived = threading.Condition()
        self.released = threading.Event()
        self._server = _Server(self, port)
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/bell"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()

    def program(self, answers: Answer | Sequence[Answer]) -> None:
        """Answer so for ever, or with a sequence and then with 204."""
        many = isinstance(answers, Sequence) and not isinstance(answers, str)
        self._always = 204 if many else answers
        self._answers = deque(answers if many else ())

    @property
    def calls(self) -> list[Call]:
        with self._arrived:
            return list(self._calls)

    def wait_for(self, number: int, seconds: float = 10.0) -> list[Call]:
        """The calls once there are `number`; TimeoutError when they do not come in time."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self._calls) >= number, seconds):
                raise TimeoutError(f"{len(self._calls)} of {number} calls in {seconds} s")
        return self.calls

    def take(self, call: Call) -> Answer:
        """Keep a call and say how to answer it."""
        with self._arrived:
            self._calls.append(call)
            self._arrived.notify_all()
            return self._answers.popleft() if self._answers else self._always


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, receiver: Receiver, port: int) -> None:
        self.receiver = receiver
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that gave up is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.receiver.take(Call(self.path, headers, body, time.monotonic()))
        if answer == HANG:
            self.server.receiver.released.wait(60)
            answer = 204
        self.send_response(int(answer))
        if 300 <= int(answer) < 400:
            self.send_header("Location", "/followed")
        if answer != 204:
            self.send_header("Content-Length", str(len(WORDS)))
        self.end_headers()
        if answer != 204:
            self.wfile.write(WORDS)

    def do_GET(self) -> None:
        """Whoever follows a redirect comes here, and is counted."""
        self.server.receiver.take(Call(self.path, {}, b"", time.monotonic()))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: the record is what tests read."""
