"""The GitHub we script: a real HTTP server that answers what a test tells it to, and counts.

Owns the format of the recorded answers (`answers/github/*.json`), the transport faults by name, and
the record of every request that arrived whole. Knows nothing of the product.

An answer file holds `about`, `status`, `headers` and either `body` (a JSON value) or `text` (not
JSON); `route` if it is not for comments; `filler_bytes` for the size of `$filler`. `$names` in
strings are filled from the request (see `Handler.facts`); a string that is one `$name` takes its
type too.

    with GitHubStandIn() as github:
        github.program(["rate_limited_1s", "created"])   # then the default again
        ...
        assert [post.answer for post in github.posts] == ["rate_limited_1s", "created"]

As a process: `python -m tests.standins.github --port N [--delay-ms 50] [--script FILE]`.

Longer than a file should be because it runs as one: answers, faults and server part ways when a
second provider's stand-in needs the first two.
"""

import argparse
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
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from string import Template
from typing import Any, Self

ANSWERS = Path(__file__).parent / "answers" / "github"
REDIRECTED = "/redirected"
ROUTES = {
    "comments": (
        "POST",
        r"/repos/(?P<owner>[^/]+)/(?P<repo>[^/]+)/issues/(?P<number>\d+)/comments",
    ),
    "user": ("GET", r"/user"),
}
PREFIX = rf"(?:{REDIRECTED})?(?P<enterprise>/api/v3)?"

Script = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """One recorded answer as its file tells it; placeholders not yet filled."""

    name: str
    about: str
    status: int
    headers: dict[str, str]
    body: Any = None
    text: str | None = None
    route: str = "comments"
    filler_bytes: int = 0

    def wire(self, facts: Mapping[str, Any]) -> bytes:
        """The whole HTTP answer for a request with these `facts`."""
        facts = {**facts, "filler": "x" * self.filler_bytes}
        if self.text is None:
            body = json.dumps(fill(self.body, facts)).encode()
        else:
            body = Template(self.text).safe_substitute(facts).encode()
        return wire(self.status, {k: str(fill(v, facts)) for k, v in self.headers.items()}, body)


@dataclass(frozen=True)
class Request:
    """One request that arrived whole, and the name of the answer it was given.

    `at` is seconds since the epoch, taken when the last byte was read; header names are lower case;
    `json` is None when the body is not JSON.
    """

    method: str
    path: str
    headers: dict[str, str]
    json: Any
    at: float
    answer: str


@functools.cache
def recorded() -> dict[str, Answer]:
    """Every recorded answer by name (its file's stem), for all routes."""
    files = sorted(ANSWERS.glob("*.json"))
    return {file.stem: Answer(file.stem, **json.loads(file.read_text("utf-8"))) for file in files}


def fill(value: Any, facts: Mapping[str, Any]) -> Any:
    """`value` with its `$names` replaced, at any depth."""
    if isinstance(value, dict):
        return {key: fill(inner, facts) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill(inner, facts) for inner in value]
    if not isinstance(value, str):
        return value
    if value.startswith("$") and value[1:] in facts:
        return facts[value[1:]]
    return Template(value).safe_substitute(facts)


def wire(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    """An HTTP/1.1 answer as bytes, so that it leaves in one write - or byte by byte."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"Date: {formatdate(usegmt=True)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


class GitHubStandIn:
    """The running stand-in; a context manager. `url` is its root, `enterprise_url` = `/api/v3`."""

    def __init__(self, port: int = 0, delay_ms: int = 0, script: Script | None = None) -> None:
        """Bind 127.0.0.1 (`port` 0 = any free one); every answer waits `delay_ms` first."""
        self.delay_ms = delay_ms
        self.drip_seconds = 0.5
        self.closed = False
        self.ids = count(2_000_000_001)
        self._lock = threading.Condition()
        self._requests: list[Request] = []
        self._always: dict[str, str] = {}
        self._queued: dict[str, deque[str]] = {}
        self._releases = 0
        self.load(script or {})
        self._server = Server(("127.0.0.1", port), self)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.enterprise_url = f"{self.url}/api/v3"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.closed = True
            self._lock.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._server.hang_up()

    def program(self, answers: str | Sequence[str], route: str = "comments") -> None:
        """Answer `route` with one name for ever, or with a sequence and then the default.

        Names are those of `recorded()` and `FAULTS`; any other raises ValueError.
        """
        names = [answers] if isinstance(answers, str) else list(answers)
        unknown = [name for name in names if name not in FAULTS and name not in recorded()]
        if unknown or route not in ROUTES:
            raise ValueError(f"no such answer or route: {', '.join(unknown) or route}")
        with self._lock:
            self._always.pop(route, None)
            self._queued[route] = deque(names)
            if isinstance(answers, str):
                self._always[route] = answers

    def load(self, script: Script) -> None:
        """Program from a script: `{"comments": name or [names], "user": ..., "delay_ms": 50}`.

        An absent route goes back to its default; an absent `delay_ms` or `drip_seconds` stays.
        """
        if not isinstance(script, Mapping):
            raise ValueError("a script is a JSON object")
        if unknown := set(script) - {*ROUTES, "delay_ms", "drip_seconds"}:
            raise ValueError(f"no such script key: {', '.join(sorted(unknown))}")
        for route in ROUTES:
            self.program(script.get(route, []), route)
        self.delay_ms = int(script.get("delay_ms", self.delay_ms))
        self.drip_seconds = float(script.get("drip_seconds", self.drip_seconds))

    @property
    def requests(self) -> list[Request]:
        """Every provider request so far, oldest first (the `/_standin` ones are not among them)."""
        with self._lock:
            return list(self._requests)

    @property
    def posts(self) -> list[Request]:
        """Every POST so far, whatever it was answered."""
        return [request for request in self.requests if request.method == "POST"]

    @property
    def followed(self) -> list[Request]:
        """The requests that came because someone followed our redirect; should stay empty."""
        return [request for request in self.requests if request.path.startswith(REDIRECTED)]

    def wait_for_posts(self, number: int, seconds: float = 5.0) -> list[Request]:
        """The posts once there are `number`; TimeoutError when they do not come in time."""
        with self._lock:
            if not self._lock.wait_for(lambda: len(self.posts) >= number, seconds):
                raise TimeoutError(f"{len(self.posts)} of {number} posts after {seconds} s")
        return self.posts

    def forget(self) -> None:
        """Empty the record."""
        with self._lock:
            self._requests.clear()

    def release(self) -> None:
        """Let every request that hangs now have its late 201."""
        with self._lock:
            self._releases += 1
            self._lock.notify_all()

    def hold(self) -> bool:
        """Block until `release()` (True) or the end of the stand-in (False)."""
        with self._lock:
            seen = self._releases
            self._lock.wait_for(lambda: self.closed or self._releases > seen)
            return not self.closed

    def next_answer(self, route: str) -> str | None:
        """The name programmed for this request, taken off its sequence; None = the default."""
        with self._lock:
            if route in self._always:
                return self._always[route]
            queued = self._queued[route]
            return queued.popleft() if queued else None

    def record(self, request: Request) -> None:
        """Count one request."""
        with self._lock:
            self._requests.append(request)
            self._lock.notify_all()


class Server(ThreadingHTTPServer):
    """One daemon thread per connection; quiet about clients that leave."""

    request_queue_size = 256

    def __init__(self, address: tuple[str, int], standin: GitHubStandIn) -> None:
        self.standin = standin
        self.connections: set[socket.socket] = set()
        super().__init__(address, Handler)

    def hang_up(self) -> None:
        """End the kept-alive connections, as a killed process would."""
        for connection in list(self.connections):
            with contextlib.suppress(OSError):  # already gone
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests are about; anything else is a bug here."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection: read a request whole, count it, then answer as programmed."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        super().finish()

    def serve(self) -> None:
        """Dispatch one request; one that was cut short is not counted and not answered."""
        self.standin = self.server.standin
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True
            return
        try:
            self.payload = json.loads(body)
        except ValueError:
            self.payload = None
        if self.path.startswith("/_standin/"):
            self.control()
        else:
            self.provide()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve

    def control(self) -> None:
        """The stand-in's own calls, for tests in another process."""
        calls: dict[str, Callable[[], Any]] = {
            "GET /_standin/requests": lambda: [asdict(one) for one in self.standin.requests],
            "DELETE /_standin/requests": self.standin.forget,
            "POST /_standin/script": lambda: self.standin.load(self.payload),
            "POST /_standin/release": self.standin.release,
        }
        status, result = 200, None
        try:
            result = calls[f"{self.command} {self.path}"]()
        except (KeyError, TypeError, ValueError) as error:
            status, result = 422, {"message": str(error)}
        body = json.dumps(result).encode()
        self.wfile.write(wire(status, {"Content-Type": "application/json"}, body))

    def provide(self) -> None:
        """Count the provider request and give it its answer."""
        route, facts = self.match()
        name = self.choose(route)
        headers = {key.lower(): value for key, value in self.headers.items()}
        self.standin.record(
            Request(self.command, self.path, headers, self.payload, time.time(), name)
        )
        if self.standin.delay_ms:
            time.sleep(self.standin.delay_ms / 1000)
        if name in FAULTS:
            FAULTS[name](self, facts)
        else:
            self.wfile.write(recorded()[name].wire(facts))

    def match(self) -> tuple[str | None, dict[str, Any]]:
        """The route this request is for, if any, and the facts of its answer."""
        for route, (method, pattern) in ROUTES.items():
            found = re.fullmatch(PREFIX + pattern, self.path.partition("?")[0])
            if found and method == self.command:
                return route, self.facts(found.groupdict())
        return None, self.facts({})

    def facts(self, parts: Mapping[str, str | None]) -> dict[str, Any]:
        """What an answer may speak of; below `/api/v3` its links lead to this host."""
        own = f"http://{self.headers.get('Host', '')}"
        enterprise = bool(parts.get("enterprise"))
        text = self.payload.get("body") if isinstance(self.payload, dict) else None
        return {
            **parts,
            "id": next(self.standin.ids),
            "text": text if isinstance(text, str) else "",
            "now": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "bearer": self.headers.get("Authorization", "").removeprefix("Bearer "),
            "reset": int(time.time()) + 1800,
            "http_date": formatdate(time.time() + 120, usegmt=True),
            "own": own,
            "web": own if enterprise else "https://github.com",
            "api": f"{own}/api/v3" if enterprise else "https://api.github.com",
        }

    def choose(self, route: str | None) -> str:
        """The answer's name: no token first, then the script, then what GitHub would say."""
        if route is None:
            return "not_found"
        if not self.headers.get("Authorization", "").startswith("Bearer "):
            return "requires_authentication"
        if programmed := self.standin.next_answer(route):
            return programmed
        if route == "user":
            return "user"
        text = self.payload.get("body") if isinstance(self.payload, dict) else None
        return "created" if isinstance(text, str) and text.strip() else "validation_failed"

    def log_message(self, format: str, *args: Any) -> None:
        """Silence: the record is what tests read."""


def hang_after_write(handler: Handler, facts: Mapping[str, Any]) -> None:
    """The comment exists, the answer never comes (late, if the test releases it)."""
    handler.close_connection = True
    if handler.standin.hold():
        handler.wfile.write(recorded()["created"].wire(facts))


def reset_after_write(handler: Handler, facts: Mapping[str, Any]) -> None:
    """The comment exists, the connection is reset (RST) before any answer."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # Closing the descriptor itself: the server's own way out sends a polite FIN first.
    socket.close(handler.connection.detach())


def close_after_write(handler: Handler, facts: Mapping[str, Any]) -> None:
    """The comment exists, the connection ends without an answer."""
    handler.close_connection = True


def close_mid_answer(handler: Handler, facts: Mapping[str, Any]) -> None:
    """The comment exists, the connection ends halfway through the body."""
    handler.close_connection = True
    handler.wfile.write(recorded()["created"].wire(facts)[:-400])


def drip(handler: Handler, facts: Mapping[str, Any], whole_head: bool) -> None:
    """Send a 201 one byte every `drip_seconds`, so that no single read ever times out."""
    handler.close_connection = True
    answer = recorded()["created"].wire(facts)
    start = answer.index(b"\r\n\r\n") + 4 if whole_head else 0
    handler.wfile.write(answer[:start])
    for byte in answer[start:]:
        if handler.standin.closed:
            return
        handler.wfile.write(bytes([byte]))
        time.sleep(handler.standin.drip_seconds)


def redirect(handler: Handler, facts: Mapping[str, Any], status: int) -> None:
    """Point at another path of this server, where a follower would be counted and answered."""
    location = f"{facts['own']}{REDIRECTED}{handler.path}"
    handler.wfile.write(wire(status, {"Location": location}, b""))


Fault = Callable[[Handler, Mapping[str, Any]], None]
FAULTS: dict[str, Fault] = {
    "hang_after_write": hang_after_write,
    "reset_after_write": reset_after_write,
    "close_after_write": close_after_write,
    "close_mid_answer": close_mid_answer,
    "drip_body": functools.partial(drip, whole_head=True),
    "drip_head": functools.partial(drip, whole_head=False),
    "redirect_301": functools.partial(redirect, status=301),
    "redirect_302": functools.partial(redirect, status=302),
    "redirect_307": functools.partial(redirect, status=307),
}


def main() -> None:
    """Run as a process until it is killed; its URL is the one line on stdout."""
    parser = argparse.ArgumentParser(description="A scriptable GitHub API on 127.0.0.1.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay-ms", type=int, default=0)
    parser.add_argument("--script", type=Path, help="JSON, as for POST /_standin/script")
    options = parser.parse_args()
    script = json.loads(options.script.read_text("utf-8")) if options.script else {}
    with GitHubStandIn(options.port, options.delay_ms, script) as standin:
        print(standin.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
