"""The short way to the database: what it writes, what it refuses, and whom a loser takes along."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest
from sqlalchemy import bindparam, insert, select, update

from switchboard.errors import Unavailable
from switchboard.lib import clock
from switchboard.lib.db import Database
from switchboard.lib.express import Express, Lost, Prepared, Write
from switchboard.models import Account, Name

ADD_NAME = Prepared(insert(Name).values(name=bindparam("new")))
COUNT_NAMES = Prepared(select(Name.name).order_by(Name.name))
RENAME = Prepared(update(Name).where(Name.name == bindparam("old")).values(name=bindparam("new")))


@pytest.fixture
def db(database_url: str) -> Any:
    db = Database(database_url)
    yield db
    db.dispose()


@pytest.fixture
def express(db: Database) -> Express:
    return Express(db)


def names(express: Express) -> list[str]:
    return [row[0] for row in express.rows(COUNT_NAMES, {})]


def test_all_writes_of_a_list_are_kept(express: Express) -> None:
    express.commit([Write(ADD_NAME, {"new": name}, rows=1) for name in ("ana", "bob")])
    assert names(express) == ["ana", "bob"]


def test_nothing_of_a_list_is_kept_when_one_write_loses(express: Express) -> None:
    writes = [
        Write(ADD_NAME, {"new": "ana"}, rows=1),
        Write(RENAME, {"old": "nobody", "new": "x"}, rows=1),
    ]
    with pytest.raises(Lost):
        express.commit(writes)
    assert names(express) == []


def test_a_write_not_marked_may_change_nothing(express: Express) -> None:
    express.commit([Write(RENAME, {"old": "nobody", "new": "x"})])
    assert names(express) == []


def test_a_broken_constraint_undoes_the_list_and_is_raised(express: Express, db: Database) -> None:
    express.commit([Write(ADD_NAME, {"new": "ana"})])
    violation = db.autocommit_engine.dialect.loaded_dbapi.IntegrityError
    with pytest.raises(violation):
        express.commit([Write(ADD_NAME, {"new": name}) for name in ("bob", "ana")])
    assert names(express) == ["ana"]


def test_the_connection_serves_on_after_a_broken_list(express: Express, db: Database) -> None:
    for _ in range(30):  # more often than the pool has connections
        with pytest.raises(Lost):
            express.commit([Write(RENAME, {"old": "nobody", "new": "x"}, rows=1)])
    express.commit([Write(ADD_NAME, {"new": "ana"})])
    assert names(express) == ["ana"]


def test_a_loser_takes_nobody_of_its_batch_along(express: Express) -> None:
    outcomes: dict[str, BaseException | None] = {}
    together = threading.Barrier(8)

    def commit(number: int) -> None:
        loses = number % 2
        writes = [Write(ADD_NAME, {"new": f"name-{number}"})]
        if loses:
            writes.append(Write(RENAME, {"old": "nobody", "new": "x"}, rows=1))
        together.wait()
        try:
            express.commit(writes)
            outcomes[f"name-{number}"] = None
        except Lost as error:
            outcomes[f"name-{number}"] = error

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    kept = sorted(name for name, error in outcomes.items() if error is None)
    assert kept == ["name-0", "name-2", "name-4", "name-6"]
    assert names(express) == kept


def test_times_booleans_and_nulls_come_back_as_they_went(express: Express) -> None:
    table = Account.__table__
    row = {
        "id": "ac_1",
        "name": "ana",
        "email": "ana@example.org",
        "password_hash": None,
        "letters": "n",
        "is_admin": True,
        "language": "de",
        "session_epoch": 3,
        "created_at": clock.now(),
        "disabled_at": None,
    }
    add = Prepared(
        insert(Account).values({c.name: bindparam(c.name, type_=c.type) for c in table.c})
    )
    express.commit([Write(add, row, rows=1)])
    found = express.rows(Prepared(select(*table.c)), {})
    assert [dict(zip(table.c.keys(), each, strict=True)) for each in found] == [row]


def test_a_connection_the_server_closed_is_replaced(express: Express, db: Database) -> None:
    if db.is_sqlite:
        express.commit([Write(ADD_NAME, {"new": "ana"})])
        db.autocommit_engine.dispose()
    else:
        assert names(express) == []
        _close_all_connections(db.url)
        express.commit([Write(ADD_NAME, {"new": "ana"})])
        _close_all_connections(db.url)
    assert names(express) == ["ana"]


def _close_all_connections(url: str) -> None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_database_that_is_away_is_unavailable_not_an_error(tmp_path: Any) -> None:
    away = (
        f"sqlite:///{tmp_path}/no/such/folder/x.db",
        f"postgresql+psycopg:///x?host={tmp_path}",
    )
    for url in away:
        with pytest.raises(Unavailable):
            Express(Database(url)).rows(COUNT_NAMES, {})


def test_a_value_the_driver_cannot_take_fails_its_own_list_alone(
    express: Express, db: Database
) -> None:
    together = threading.Barrier(4)
    failed: list[str] = []

    def commit(name: str) -> None:
        together.wait()
        try:
            express.commit([Write(ADD_NAME, {"new": name})])
        except Exception:
            failed.append(name)

    names_given = ["ana", "bob", "eve", "\ud800"]
    threads = [threading.Thread(target=commit, args=(name,)) for name in names_given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert (failed, names(express)) == (["\ud800"], ["ana", "bob", "eve"])
