"""The box's web and worker processes as real processes, and raw HTTP to speak to the former.

A test that says "at once", "exactly once" or "while the other is down" runs on these.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# The environment's proxies are not for 127.0.0.1.
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Process:
    """A child of ours; `log` is everything it printed so far."""

    child: subprocess.Popen[bytes]
    log_file: Path

    @property
    def log(self) -> str:
        return self.log_file.read_text("utf-8", "replace")

    def kill(self) -> None:
        """SIGKILL to its whole process group, as the out-of-memory killer would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait(10)


@dataclass
class Server(Process):
    """A running gunicorn; `url` is its root."""

    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One ordinary request."""
        request = urllib.request.Request(self.url + path, body, dict(headers or {}), method=method)
        try:
            with LOCAL.open(request, timeout=30) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.headers, error.read())

    def connect(self) -> socket.socket:
        """A bare connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def raw(self, *pieces: bytes) -> Answer:
        """Send bytes as they are and read the answer until the server closes."""
        with self.connect() as connection:
            for piece in pieces:
                connection.sendall(piece)
            return read_answer(connection)


def read_answer(connection: socket.socket) -> Answer:
    """The answer on a connection that the server will close (`Connection: close` was asked)."""
    received = b""
    while chunk := connection.recv(65_536):
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return Answer(int(status.split()[1]), headers, body)


@contextlib.contextmanager
def serve(
    environ: Mapping[str, str], *, processes: int = 2, threads: int = 4, knows_itself: bool = False
) -> Iterator[Server]:
    """Gunicorn with our application on a free port, ended with the block.

    `knows_itself` says that its base URL is where it listens.
    """
    with socket.create_server(("127.0.0.1", 0), backlog=256) as listener:
        if knows_itself:
            own = f"http://127.0.0.1:{listener.getsockname()[1]}"
            environ = {**environ, "SWITCHBOARD_BASE_URL": own}
        options = ["-k", "gthread", "-w", str(processes), "--threads", str(threads)]
        options += ["--preload", "--no-control-socket", "--graceful-timeout", "1"]
        options += ["-b", f"fd://{listener.fileno()}", "wsgi:app"]
        command = [sys.executable, "-m", "gunicorn", *options]
        with _process(command, environ, listener.fileno()) as (child, log):
            server = Server(child, log, listener.getsockname()[1])
            wait_until(lambda: _answers(server), 20)
            yield server


def _answers(server: Server) -> bool:
    if server.child.poll() is not None:
        raise RuntimeError(f"gunicorn ended: {server.log[-2000:]}")
    with contextlib.suppress(OSError):
        return server.call("GET", "/healthz").status in (200, 503)
    return False


@contextlib.contextmanager
def worker(environ: Mapping[str, str]) -> Iterator[Process]:
    """One real RQ SimpleWorker on our queues, ended with the block."""
    url = environ["SWITCHBOARD_REDIS_URL"]
    command = [sys.executable, "-m", "rq.cli", "worker", "--url", url]
    command += ["-w", "rq.worker.SimpleWorker", "dial", "mail", "notify", "default"]
    with _process(command, environ) as (child, log):
        process = Process(child, log)
        wait_until(lambda: "Listening on" in process.log or child.poll() is not None, 20)
        assert child.poll() is None, process.log
        yield process


@contextlib.contextmanager
def _process(
    command: list[str], environ: Mapping[str, str], *descriptors: int
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    plain = {k: v for k, v in os.environ.items() if not k.startswith("SWITCHBOARD_")}
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "wb") as log:
        child = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**plain, **environ, "PYTHONUNBUFFERED": "1"},
            stdout=log,
            stderr=log,
            pass_fds=descriptors,
            start_new_session=True,
        )
        try:
            yield child, Path(log.name)
        finally:
            _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(3)


def wait_until(true: Callable[[], Any], seconds: float = 10.0) -> Any:
    """What `true` returns once it is truthy; TimeoutError when it is not in time."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s")
        time.sleep(0.02)
    return found
