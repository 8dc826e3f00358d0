"""A load of signed deliveries over kept-alive connections, and what the server made of it.

One thread and `selectors`: at these rates the sender takes a few per cent of a core, so what is
measured is the server.
"""

from __future__ import annotations

import hmac
import json
import selectors
import socket
import time
import uuid
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

CONNECTIONS = 16
BODY_BYTES = 5_000


@dataclass
class Measured:
    """What a load saw: answers by status, and how long each took (seconds)."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Answers of 202 a second."""
        return self.statuses[202] / self.seconds

    def quantile(self, share: float) -> float:
        """The time that this share of the answers stayed within, in milliseconds."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


def deliveries(path: str, secret: str) -> Iterator[bytes]:
    """Endless HTTP requests, each a signed delivery of its own of about 5 KB."""
    filler = "x" * (BODY_BYTES - 600)
    number, run = 0, uuid.uuid4().hex
    while True:
        number += 1
        body = json.dumps(
            {
                "action": "opened",
                "issue": {"number": number, "title": f"Measured {run} {number}", "body": filler},
                "repository": {
                    "full_name": "acme/rocket",
                    "html_url": "https://github.com/acme/rocket",
                },
                "sender": {"login": "mona"},
            }
        ).encode()
        signature = hmac.new(secret.encode(), body, "sha256").hexdigest()
        yield (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nX-GitHub-Event: issues\r\n"
            f"X-GitHub-Delivery: {uuid.uuid4()}\r\nX-Hub-Signature-256: sha256={signature}\r\n\r\n"
        ).encode() + body


def run(port: int, path: str, secret: str, seconds: float) -> Measured:
    """Send deliveries as fast as 16 connections can for `seconds`."""
    return flood(port, deliveries(path, secret), seconds)


def flood(port: int, made: Iterator[bytes], seconds: float) -> Measured:
    """Send these requests as fast as 16 connections can for `seconds`."""
    measured = Measured()
    ready: deque[bytes] = deque(next(made) for _ in range(4 * CONNECTIONS))
    selector = selectors.DefaultSelector()
    for _ in range(CONNECTIONS):
        connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        connection.sendall(ready.popleft())
        selector.register(connection, selectors.EVENT_READ, [time.perf_counter(), b""])
    started = time.perf_counter()
    open_ = CONNECTIONS
    while open_:
        for key, _ in selector.select(timeout=30):
            if not _answered(key, measured):
                continue
            if time.perf_counter() - started < seconds:
                request = ready.popleft()
                key.data[0] = time.perf_counter()
                key.fileobj.sendall(request)  # type: ignore[union-attr]
                ready.append(next(made))  # while the server works on that one
            else:
                selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
                open_ -= 1
    measured.seconds = time.perf_counter() - started
    return measured


def _answered(key: selectors.SelectorKey, measured: Measured) -> bool:
    """Read what came; True once a whole answer stands."""
    chunk = key.fileobj.recv(65_536)  # type: ignore[union-attr]
    if not chunk:
        raise ConnectionError("the server closed a kept-alive connection")
    key.data[1] += chunk
    head, separator, rest = key.data[1].partition(b"\r\n\r\n")
    if not separator:
        return False
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    if len(rest) < length:
        return False
    measured.times.append(time.perf_counter() - key.data[0])
    measured.statuses[int(head[9:12])] += 1
    key.data[1] = b""
    return True


def steady(port: int, made: Iterator[bytes], per_second: float, seconds: float) -> Measured:
    """Send so many of these a second, each when it is due on a connection of its own.

    A time runs from when the request was due, so a server that falls behind is not spared.
    """
    measured, number = Measured(seconds), int(per_second * seconds)
    started = time.perf_counter()

    def one(position: int, request: bytes) -> tuple[int, float]:
        due = started + position / per_second
        time.sleep(max(0.0, due - time.perf_counter()))
        return _status(_exchange(port, request)), time.perf_counter() - due

    with ThreadPoolExecutor(32) as pool:
        for status, taken in pool.map(one, range(number), islice(made, number)):
            measured.statuses[status] += 1
            measured.times.append(taken)
    return measured


def _exchange(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        return connection.recv(65_536)


def _status(answer: bytes) -> int:
    return int(answer[9:12] or b"0")


def send(port: int, request: bytes) -> None:
    """One delivery on a connection of its own, which must be accepted."""
    answer = _exchange(port, request)
    if _status(answer) != 202:
        raise RuntimeError(answer.decode("utf-8", "replace"))
