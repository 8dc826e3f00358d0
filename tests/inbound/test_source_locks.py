"""Who waits for whom at a source: changes for each other, and nobody for those who only look."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from switchboard.access.principals import Machine
from switchboard.inbound import dry_run, source_changes, source_views
from tests.world import World

PATIENCE_SECONDS = 5


@pytest.mark.parametrize("look", ["one", "dry_run"])
def test_looking_at_a_source_waits_for_no_change_of_it(world: World, look: str) -> None:
    assert world.source
    looks = {
        "one": lambda: source_views.one(world.lib, Machine(), "octo"),
        "dry_run": lambda: dry_run.run(world.lib, Machine(), "octo"),
    }
    with ThreadPoolExecutor(1) as pool, world.lib.db.write() as session:
        source_changes.configurable(session, Machine(), "octo", locked=True)
        pool.submit(looks[look]).result(PATIENCE_SECONDS)


def test_a_change_of_a_source_waits_for_the_one_before(world: World) -> None:
    assert world.source
    with ThreadPoolExecutor(1) as pool:
        with world.lib.db.write() as session:
            source_changes.configurable(session, Machine(), "octo", locked=True)
            change = pool.submit(source_changes.set_state, world.lib, Machine(), "octo", "paused")
            time.sleep(0.3)
            waited = not change.done()
        assert waited and change.result(PATIENCE_SECONDS)["state"] == "paused"
