"""A hundred thousand hostile requests of every kind: no 500, no hang, a row for each."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks import servers
from benchmarks.table import Row
from switchboard import create_app
from switchboard.config import read_settings
from switchboard.lib import migrate
from switchboard.lib.plumbing import Plumbing
from tests.inbound.hostile import Maker, Verdict, recorded, send
from tests.inbound.hostile_places import every_place
from tests.world import World

COUNT = int(os.environ.get("BENCH_REQUESTS", "100000"))


def rows(valkey: str) -> list[Row]:
    """What was wrong with their answers, and how many rows were missing."""
    with tempfile.TemporaryDirectory(prefix="sbh") as folder:
        environ = servers.settings(
            Path(folder),
            f"sqlite:///{folder}/hostile.db",
            valkey,
            SOURCE_RATE="0:1",
            PAUSE_AFTER="1000000000",
        )
        settings = read_settings(environ)
        migrate.upgrade(Plumbing(settings).db)
        world = World(create_app(settings))
        maker = Maker(every_place(world), seed=int(time.time()))
        with servers.gunicorn("wsgi:app", environ) as port:
            verdict = send(port, maker, COUNT)
        return _judged(verdict, recorded(world.lib))


def _judged(verdict: Verdict, rows: Counter[str]) -> list[Row]:
    wrong = (rows - verdict.recorded) + (verdict.recorded - rows)
    asked = f"{COUNT:,} requests"
    return [
        _none("hostile requests answered 5xx", len(verdict.broken), asked),
        _none("hostile requests that hung", len(verdict.hung), asked),
        _none("rows lost or too many", wrong.total(), f"{rows.total():,} recorded"),
    ]


def _none(what: str, found: int, of: str) -> Row:
    return Row(what, str(found), of, "0", found == 0)
