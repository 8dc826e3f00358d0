"""Storage or queue away: the sender is asked to come back, or never notices."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from switchboard.lib import express
from tests.world import World


@contextmanager
def postgres_gone(url: str) -> Iterator[None]:
    """The database renamed and everybody thrown out of it."""
    where = make_url(url)
    assert where.database
    admin = make_url(url).set(database="postgres", drivername="postgresql")
    lost = f"{where.database}_lost"
    with psycopg.connect(admin.render_as_string(False), autocommit=True) as connection:
        # a thread of ours that comes back between being thrown out and the new name would hold the old one
        connection.execute(f"ALTER DATABASE {where.database} WITH ALLOW_CONNECTIONS false")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
            [where.database],
        )
        connection.execute(f"ALTER DATABASE {where.database} RENAME TO {lost}")
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {lost} RENAME TO {where.database}")
            connection.execute(f"ALTER DATABASE {where.database} WITH ALLOW_CONNECTIONS true")


@contextmanager
def sqlite_locked(url: str) -> Iterator[None]:
    """Another program holds the write lock, longer than anybody waits."""
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


@pytest.fixture
def gone(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    if database_url.startswith("sqlite"):
        monkeypatch.setattr("switchboard.lib.db._PRAGMAS", _impatient())
        return lambda: sqlite_locked(database_url)
    return lambda: postgres_gone(database_url)


def _impatient() -> tuple[str, ...]:
    from switchboard.lib import db

    return (*db._PRAGMAS, "PRAGMA busy_timeout=200")


def test_while_the_database_is_away_the_sender_is_asked_to_come_back(
    gone: Callable[[], object], world: World
) -> None:
    assert world.deliver(world.issue(1), id="one").status_code == 202
    with gone():  # type: ignore[attr-defined]
        answer = world.deliver(world.issue(2), id="two")
        assert (answer.status_code, answer.json["code"]) == (503, "storage_unavailable")
        assert answer.mimetype == "application/problem+json"
        assert int(answer.headers["Retry-After"]) > 0
    assert world.deliver(world.issue(2), id="two").status_code == 202
    assert world.deliver(world.issue(1), id="one").status_code == 200


def test_while_the_database_is_away_agents_get_the_same_answer(
    gone: Callable[[], object], world: World
) -> None:
    world.claimed()
    with gone():  # type: ignore[attr-defined]
        answer = world.agent("POST", "/todos/claim-next")
        assert (answer.status_code, answer.json["code"]) == (503, "storage_unavailable")
        assert "Retry-After" in answer.headers
    assert world.agent("POST", "/todos/claim-next").status_code == 204


def test_a_dropped_connection_is_not_noticed(world: World, database_url: str) -> None:
    assert world.deliver(world.issue(1)).status_code == 202
    if database_url.startswith("sqlite"):
        world.lib.db.dispose()
    else:
        admin = make_url(database_url).set(drivername="postgresql").render_as_string(False)
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    assert world.deliver(world.issue(2)).status_code == 202
    assert world.claim()["state"] == "claimed"


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("damage", [b"this is no database at all" * 200, b""])
def test_a_damaged_sqlite_file_is_a_refusal_not_a_crash(
    world: World, database_url: str, damage: bytes
) -> None:
    assert world.source
    world.lib.db.dispose()
    for suffix in ("", "-wal", "-shm"):
        Path(database_url.removeprefix("sqlite:///") + suffix).write_bytes(damage)
    answer = world.deliver(world.issue(1))
    assert (answer.status_code, answer.json["code"]) == (503, "storage_unavailable")


@pytest.mark.setting(REDIS_URL="unix:///nowhere/valkey.sock")
def test_without_valkey_deliveries_are_still_taken_and_fast(world: World) -> None:
    assert world.deliver(world.issue(1)).status_code == 202
    started = time.monotonic()
    for number in range(2, 12):
        assert world.deliver(world.issue(number)).status_code == 202
    assert time.monotonic() - started < 5


@pytest.mark.setting(REDIS_URL="redis://127.0.0.1:1/0")
def test_without_valkey_an_agent_still_works(world: World) -> None:
    todo = world.claimed()
    answer = world.reply(todo)
    assert (answer.status_code, answer.json["state"]) == (202, "pending")
    assert world.agent("POST", f"/todos/{todo['id']}/complete").status_code == 200


# SQLite lives in the process: no connection to it can break
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_a_connection_that_breaks_during_the_commit_neither_loses_nor_doubles(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert world.source
    once, broken = express.Express._once, []

    def break_after_the_first_commit(self: express.Express, act: Callable[..., object]) -> object:
        done = once(self, act)
        if done is None and not broken:  # a commit returns nothing, a read returns rows
            broken.append(True)
            raise express._HungUp
        return done

    monkeypatch.setattr(express.Express, "_once", break_after_the_first_commit)
    assert world.deliver(world.issue(1), id="one").status_code in (200, 202)
    assert broken
    assert len(world.agent("GET", "/todos").json["todos"]) == 1
