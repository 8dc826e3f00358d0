"""The ack path against the bare view, both saturated in turn, round by round."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import psycopg

from benchmarks import load, reference, servers, world
from benchmarks.load import Measured
from benchmarks.table import Row
from tests import backends

ROUNDS = 5
SECONDS = 4.0
WARM_UP_SECONDS = 1.0
BARE_SECRET = "a-secret-of-the-bare-view"
RATE_BAR, P99_BAR = 0.6, 2.0


def rows(valkey: str) -> list[Row]:
    """Rate and p99 on SQLite (`synchronous=FULL`) and on Postgres."""
    found: list[Row] = []
    for name, databases in (("SQLite", _sqlite), ("Postgres", _postgres)):
        with databases() as (ours, bare):
            found += _compare(name, *_measure(ours, bare, valkey))
    return found


def _compare(name: str, ours: list[Measured], bare: list[Measured]) -> list[Row]:
    rate, bare_rate = (median(each.rate for each in side) for side in (ours, bare))
    p99, bare_p99 = (median(each.quantile(0.99) for each in side) for side in (ours, bare))
    share, times = rate / bare_rate, p99 / bare_p99
    return [
        Row(
            f"verified deliveries answered 202, {name}",
            f"{rate:.0f}/s ({share:.2f})",
            f"bare view {bare_rate:.0f}/s",
            f"≥ {RATE_BAR}",
            share >= RATE_BAR,
        ),
        Row(
            f"their p99, saturated, {name}",
            f"{p99:.0f} ms ({times:.2f} ×)",
            f"bare view {bare_p99:.0f} ms",
            f"≤ {P99_BAR:.0f} ×",
            times <= P99_BAR,
        ),
    ]


def _measure(ours: str, bare: str, valkey: str) -> tuple[list[Measured], list[Measured]]:
    folder = Path(tempfile.mkdtemp(prefix="sba"))
    # a lane that never runs dry: what is measured is the path, with its bucket, not the limit
    environ = servers.settings(folder, ours, valkey, SOURCE_RATE="100000:1000")
    made = world.make(environ)
    reference.create_tables(bare)
    bare_environ = {"BENCH_DATABASE": bare, "BENCH_SECRET": BARE_SECRET}
    found: tuple[list[Measured], list[Measured]] = ([], [])
    with (
        servers.gunicorn("wsgi:app", environ) as port,
        servers.gunicorn("benchmarks.reference:create_app()", bare_environ) as bare_port,
    ):
        sides = ((port, made.path, made.secret), (bare_port, "/hooks/bench", BARE_SECRET))
        for side in sides:
            load.run(*side, WARM_UP_SECONDS)
        for _ in range(ROUNDS):
            for measured, side in zip(found, sides, strict=True):
                measured.append(load.run(*side, SECONDS))
    return found


@contextmanager
def _sqlite() -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="sba") as folder:
        yield f"sqlite:///{folder}/ours.db", f"{folder}/bare.db"


@contextmanager
def _postgres() -> Iterator[tuple[str, str]]:
    with ExitStack() as stack:
        server = stack.enter_context(backends.postgres(durable=True))
        ours, bare = (stack.enter_context(server.fresh()) for _ in range(2))
        bare = bare.replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(bare, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        yield ours, bare
