"""Fixtures of the notify hooks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.standins.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as running:
        yield running
