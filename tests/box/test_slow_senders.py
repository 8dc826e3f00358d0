"""Senders that never finish: they are cut off, and whoever else comes is answered."""

from __future__ import annotations

import time
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.box.boxes import RunningBox

SOCKETS = 24  # three for every thread of a default box


@pytest.mark.parametrize(
    "head",
    [
        b"GET /login HTTP/1.1\r\nHost: localhost\r\nX-A: ",
        b"POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname=a",
    ],
    ids=["head", "form"],
)
def test_unfinished_requests_do_not_hold_the_box(quick: dict[str, str], head: bytes) -> None:
    environ = quick | {"SWITCHBOARD_BODY_SECONDS": "2"}
    with RunningBox(environ) as box, ExitStack() as stack:
        for _ in range(SOCKETS):
            connection = stack.enter_context(box.connect())
            connection.sendall(head)
        began = time.monotonic()
        asked = HTTPConnection("127.0.0.1", box.port, timeout=60)
        asked.request("GET", "/healthz")
        assert asked.getresponse().status == 200
        # 24 sockets on a small box's 4 threads are six rounds of waiting
        assert time.monotonic() - began < 45


def test_a_database_that_was_moved_away_is_said_and_not_written_to(quick: dict[str, str]) -> None:
    with RunningBox(quick) as box:
        assert box.call("GET", "/healthz").status == 200
        data = Path(quick["SWITCHBOARD_DATA"])
        (data / "switchboard.db").rename(data / "elsewhere.db")
        assert box.call("GET", "/healthz").status == 503
