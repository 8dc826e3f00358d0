"""One source storms as fast as 16 connections can; another one's deliveries are answered all the same."""

from __future__ import annotations

import multiprocessing
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks import load, servers, world
from benchmarks.load import Measured
from benchmarks.table import Row
from switchboard.access.principals import Machine
from switchboard.config import read_settings
from switchboard.inbound import sources
from switchboard.lib.plumbing import Plumbing
from tests import backends

PER_SECOND = 20
WORKER = "switchboard.box.reader.Worker"  # the box's own, which holds back who is in a hurry
QUIET_SECONDS, STORM_SECONDS, ROUNDS = 6.0, 10.0, 2
WARM_UP_SECONDS = 1.0
TIMES, MILLISECONDS = 5.0, 60.0  # the bar: whichever is more


@dataclass(frozen=True)
class Target:
    """Where a source is delivered to, and what it signs with."""

    path: str
    secret: str


def valid(target: Target) -> Iterator[bytes]:
    """Deliveries as good as any; beyond the lane's burst they are refused."""
    return load.deliveries(target.path, target.secret)


def forged(target: Target) -> Iterator[bytes]:
    """Deliveries signed with another secret."""
    return load.deliveries(target.path, "another secret")


def unknown(target: Target) -> Iterator[bytes]:
    """Deliveries to addresses that no source has."""
    made = load.deliveries("/hooks/" + "x" * 32, target.secret)
    while True:
        yield next(made).replace(b"x" * 32, secrets.token_hex(16).encode(), 1)


STORMS: dict[str, Callable[[Target], Iterator[bytes]]] = {
    "valid deliveries": valid,
    "forged signatures": forged,
    "unknown addresses": unknown,
}


def rows(valkey: str) -> list[Row]:
    """The neighbour's p99 in each storm, on SQLite and on Postgres."""
    found: list[Row] = []
    for name, database in (("SQLite", _sqlite), ("Postgres", _postgres)):
        with database() as url:
            environ = servers.settings(Path(tempfile.mkdtemp(prefix="sbs")), url, valkey)
            world.make(environ)
            with servers.gunicorn("wsgi:app", environ, worker=WORKER) as port:
                found += [
                    _row(f"{storm}, {name}", _measure(port, environ, storm)) for storm in STORMS
                ]
    return found


def _row(what: str, found: tuple[Measured, Measured, Measured]) -> Row:
    quiet, during, storm = found
    usual, p99 = quiet.quantile(0.99), during.quantile(0.99)
    bar = max(TIMES * usual, MILLISECONDS)
    refused = sum(during.statuses.values()) - during.statuses[202]
    rate = sum(storm.statuses.values()) / storm.seconds
    return Row(
        f"p99 of another source while one storms: {what}",
        f"{p99:.0f} ms, {refused} refused; the storm {rate:.0f}/s",
        f"without a storm {usual:.0f} ms",
        f"≤ {bar:.0f} ms, 0 refused",
        p99 <= bar and refused == 0,
    )


def _measure(port: int, environ: dict[str, str], storm: str) -> tuple[Measured, Measured, Measured]:
    """The neighbour without a storm, the neighbour in it, the storm; all rounds together."""
    found = (Measured(), Measured(), Measured())
    for number in range(ROUNDS):
        calm, stormy = (
            _source(environ, f"{who}-{storm.split(maxsplit=1)[0]}-{number}")
            for who in ("calm", "stormy")
        )
        load.steady(port, valid(calm), PER_SECOND, WARM_UP_SECONDS)
        _add(found[0], load.steady(port, valid(calm), PER_SECOND, QUIET_SECONDS))
        with _storming(port, storm, stormy) as measured:
            _add(found[1], load.steady(port, valid(calm), PER_SECOND, STORM_SECONDS))
        _add(found[2], measured.get(timeout=30))
    return found


def _add(whole: Measured, part: Measured) -> None:
    whole.seconds += part.seconds
    whole.statuses += part.statuses
    whole.times += part.times


@contextmanager
def _storming(port: int, storm: str, target: Target) -> Iterator[Any]:
    """A storm from a process of its own; yields the queue that what it saw comes through."""
    spawn = multiprocessing.get_context("spawn")
    measured = spawn.Queue()
    process = spawn.Process(target=_storm, args=(port, storm, target, measured))
    process.start()
    assert measured.get(timeout=30) is None  # it begins
    yield measured
    process.join(30)


def _storm(port: int, storm: str, target: Target, measured: Any) -> None:
    made = STORMS[storm](target)
    measured.put(None)
    measured.put(load.flood(port, made, STORM_SECONDS))


def _source(environ: dict[str, str], name: str) -> Target:
    lib = Plumbing(read_settings(environ))
    added = sources.add(lib, Machine(), sources.NewSource("github", name, owner="bench"))
    lib.db.dispose()
    return Target(urlsplit(added.source["ingest_url"]).path, added.secret or "")


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="sbs") as folder:
        yield f"sqlite:///{folder}/storm.db"


@contextmanager
def _postgres() -> Iterator[str]:
    with ExitStack() as stack:
        server = stack.enter_context(backends.postgres(durable=True))
        yield stack.enter_context(server.fresh())
