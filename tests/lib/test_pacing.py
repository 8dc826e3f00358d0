"""Who is in a hurry is told apart by the second, and held back once an answer."""

from __future__ import annotations

import socket

import pytest

from switchboard.lib import pacing
from switchboard.lib.pacing import Held, Speeds


def test_a_connection_is_held_once_for_each_time_it_is_named() -> None:
    held = Held()
    left, right = socket.socketpair()
    with left, right:
        held.hold(left)
        assert [held.take(left), held.take(left), held.take(right)] == [True, False, False]


def test_things_are_counted_apart_and_anew_each_second(monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = Speeds()
    monkeypatch.setattr(pacing.time, "monotonic", lambda: 1.0)
    assert [speeds.seen(key) for key in ("a", "a", None, "a")] == [1, 2, 1, 3]
    monkeypatch.setattr(pacing.time, "monotonic", lambda: 2.0)
    assert speeds.seen("a") == 1
