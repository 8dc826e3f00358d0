"""A million stored deliveries against a thousand: the ack rate, the log's page, and letting old ones go."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import requests

from benchmarks import bulk, load, servers, world
from benchmarks.table import Row
from switchboard.access import accounts
from switchboard.config import read_settings
from switchboard.inbound import retention
from switchboard.lib.plumbing import Plumbing
from tests import backends

FEW, MANY = 1_000, int(os.environ.get("BENCH_DELIVERIES", "1000000"))
ROUNDS, SECONDS = 5, 4.0
PAGES = 40
RATE_BAR, PAGE_BAR, PAGE_MS = 0.9, 1.3, 100.0
P99_TIMES = 2.0


def rows(valkey: str) -> list[Row]:
    """On SQLite and on Postgres."""
    found: list[Row] = []
    for name, database in (("SQLite", _sqlite), ("Postgres", _postgres)):
        with database() as url:
            found += _measure(name, url, valkey)
    return found


def _measure(name: str, url: str, valkey: str) -> list[Row]:
    folder = Path(tempfile.mkdtemp(prefix="sbs"))
    environ = servers.settings(folder, url, valkey, SOURCE_RATE="100000:1000")
    made = world.make(environ)
    lib = Plumbing(read_settings(environ))
    _fill(lib, made, 1, FEW)
    token = accounts.mint_token(lib, "bench")
    with servers.gunicorn("wsgi:app", environ) as port:
        rate, page = _rate(port, made), _page(port, token)
        _fill(lib, made, FEW + 1, MANY)
        many_rate, many_page = _rate(port, made), _page(port, token)
        p99, swept_p99, gone = _sweep(port, made, environ)
    lib.db.dispose()
    share, times = many_rate / rate, many_page / page
    return [
        Row(
            f"ack rate at {MANY:,} deliveries, {name}",
            f"{many_rate:.0f}/s ({share:.2f})",
            f"{rate:.0f}/s at {FEW:,}",
            f"≥ {RATE_BAR}",
            share >= RATE_BAR,
        ),
        Row(
            f"delivery page at {MANY:,} rows, {name}",
            f"{many_page:.1f} ms ({times:.2f} ×)",
            f"{page:.1f} ms at {FEW:,}",
            f"≤ {PAGE_BAR} ×, ≤ {PAGE_MS:.0f} ms",
            times <= PAGE_BAR and many_page <= PAGE_MS,
        ),
        Row(
            f"ack p99 while {gone:,} old deliveries go, {name}",
            f"{swept_p99:.0f} ms ({swept_p99 / p99:.2f} ×)",
            f"{p99:.0f} ms without",
            f"≤ {P99_TIMES:.0f} ×",
            swept_p99 <= P99_TIMES * p99,
        ),
    ]


def _fill(lib: Plumbing, made: world.World, first: int, count: int) -> None:
    bulk.load(
        lib.db.engine, first, count, source=made.source, endpoint=made.endpoint, owner=made.account
    )


def _rate(port: int, made: world.World) -> float:
    load.run(port, made.path, made.secret, 1.0)
    return median(load.run(port, made.path, made.secret, SECONDS).rate for _ in range(ROUNDS))


def _page(port: int, token: str) -> float:
    """Milliseconds of one page of the log, the median."""
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    times = []
    for _ in range(PAGES):
        began = time.perf_counter()
        answer = session.get(f"http://127.0.0.1:{port}/api/v1/deliveries?limit=100", timeout=30)
        times.append((time.perf_counter() - began) * 1000)
        answer.raise_for_status()
    return median(times)


def _sweep(port: int, made: world.World, environ: dict[str, str]) -> tuple[float, float, int]:
    """The p99 of a saturated ack path, the same while the oldest day is deleted, and how many went."""
    alone = load.run(port, made.path, made.secret, SECONDS).quantile(0.99)
    days = {"SWITCHBOARD_RETENTION_DAYS": str(bulk.DAYS - 1)}
    lib = Plumbing(read_settings({**environ, **days}))
    gone: list[int] = []
    sweeper = threading.Thread(target=lambda: gone.append(retention.sweep(lib)))
    sweeper.start()
    swept = load.run(port, made.path, made.secret, SECONDS).quantile(0.99)
    sweeper.join()
    lib.db.dispose()
    return alone, swept, gone[0]


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="sbs") as folder:
        yield f"sqlite:///{folder}/scale.db"


@contextmanager
def _postgres() -> Iterator[str]:
    with backends.postgres(durable=True) as server, server.fresh() as url:
        yield url
