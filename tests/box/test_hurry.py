"""A kept-alive connection in a hurry is read again only in a moment; all it sends is answered."""

from __future__ import annotations

import time
from http.client import HTTPConnection

from tests.box.boxes import RunningBox


def test_a_storm_on_one_connection_is_answered_and_slowed(quick: dict[str, str]) -> None:
    with RunningBox(quick | {"SWITCHBOARD_SOURCE_RATE": "5:5"}) as box:
        connection = HTTPConnection("127.0.0.1", box.port, timeout=30)
        began = time.monotonic()
        for _ in range(40):
            connection.request("POST", "/hooks/nobody", b"{}")
            answer = connection.getresponse()
            assert answer.status == 404 and answer.read()
        # five of each second go at once, the others wait 50 ms
        assert time.monotonic() - began > 1.0
