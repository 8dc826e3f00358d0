"""The fuzz run in short (`python -m benchmarks fuzz` is the long one): a real server, both callers."""

from __future__ import annotations

from pathlib import Path

import pytest

from switchboard import create_app
from switchboard.config import read_settings
from tests import fuzzing
from tests.conftest import environ_on
from tests.servers import serve
from tests.world import World

SHORT = ("--max-time", "8", "--phases", "fuzzing", "--no-shrink", "--seed", "1")


def test_whatever_is_sent_the_contract_knows_the_answer_and_it_is_no_500(
    sqlite_template: Path, valkey_url: str, tmp_path: Path
) -> None:
    environ = environ_on(tmp_path, sqlite_template, valkey_url, **fuzzing.SETTINGS)
    world = World(create_app(read_settings(environ)))
    with serve(environ) as server:
        verdict = fuzzing.fuzz(server.url, world, *SHORT)
    assert verdict.findings == [], verdict.output
    assert verdict.requests > 10, verdict.output


@pytest.mark.setting(**fuzzing.SETTINGS)
def test_the_fuzzer_is_given_real_things_to_call(world: World) -> None:
    known = fuzzing.furnish(world)
    for name, path in (
        ("todo_id", "/todos/"),
        ("thread_id", "/threads/"),
        ("delivery_id", "/deliveries/"),
    ):
        assert world.operator("GET", path + known[name][0]).status_code == 200
