"""Thousands of hostile requests of every kind against a real server: clear answers, and a row for each.

The long form, a hundred thousand of them, is `python -m benchmarks hostile`.
"""

from __future__ import annotations

import pytest

from tests.inbound.hostile import Maker, recorded, send
from tests.inbound.hostile_places import every_place
from tests.servers import serve
from tests.world import World

COUNT = 600


@pytest.mark.setting(PAUSE_AFTER="1000000", SOURCE_RATE="0:1")
def test_every_one_is_answered_and_recorded(world: World, environ: dict[str, str]) -> None:
    maker = Maker(every_place(world), seed=1)
    with serve(environ) as server:
        verdict = send(server.port, maker, COUNT)
        assert (verdict.broken, verdict.hung) == ([], []), server.log[-2000:]
    assert sum(verdict.statuses.values()) == COUNT
    assert verdict.statuses[202] > COUNT / 20 and verdict.codes["bad_signature"] > COUNT / 100
    assert recorded(world.lib) == verdict.recorded
