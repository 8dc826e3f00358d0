"""SQLite as we open it, and the writers' turn."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from switchboard.errors import Unavailable
from switchboard.lib.db import Database, WriterTurn


def test_sqlite_is_durable_and_checks_references(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/a.db")
    with db.read() as session:
        found = {
            name: session.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def _add_one(path: str, times: int) -> None:
    turn = WriterTurn(Path(path + ".lock"))
    for _ in range(times):
        with turn.taken():
            number = int(Path(path).read_text())
            time.sleep(0.0005)
            Path(path).write_text(str(number + 1))


def test_writers_of_several_processes_take_turns(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_add_one, args=(str(counter), 50)) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert counter.read_text() == "200"


def test_a_write_inside_a_write_is_an_error_and_not_a_deadlock(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/a.db")
    with db.write(), pytest.raises(RuntimeError), db.write():
        pass


def test_the_turn_is_free_again_after_an_exception(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/a.db")
    with pytest.raises(ZeroDivisionError), db.write():
        raise ZeroDivisionError
    with db.write() as session:
        assert session.scalar(text("SELECT 1")) == 1


def test_a_rolled_back_write_leaves_nothing(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/a.db")
    with db.write() as session:
        session.execute(text("CREATE TABLE t (n int)"))

    def fail() -> None:
        with db.write() as session:
            session.execute(text("INSERT INTO t VALUES (1)"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with db.read() as session:
        assert session.scalar(text("SELECT count(*) FROM t")) == 0


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/a.db")
    with db.write() as session:
        session.execute(text("CREATE TABLE t (n int)"))
    writing, go_on = threading.Event(), threading.Event()

    def write() -> None:
        with db.write() as session:
            session.execute(text("INSERT INTO t VALUES (1)"))
            writing.set()
            go_on.wait(10)

    writer = threading.Thread(target=write)
    writer.start()
    assert writing.wait(10)
    with db.read() as session:
        seen = session.scalar(text("SELECT count(*) FROM t"))
    go_on.set()
    writer.join(10)
    assert seen == 0


def test_a_copy_made_while_writing_is_consistent(tmp_path: Path) -> None:
    db = Database(f"sqlite:///{tmp_path}/a.db")
    with db.write() as session:
        session.execute(text("CREATE TABLE t (n int)"))
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            with db.write() as session:
                session.execute(text("INSERT INTO t VALUES (1)"))
                session.execute(text("INSERT INTO t VALUES (-1)"))

    writer = threading.Thread(target=write)
    writer.start()
    with sqlite3.connect(tmp_path / "a.db") as source, sqlite3.connect(tmp_path / "b.db") as copy:
        source.backup(copy, pages=1)
    stop.set()
    writer.join(10)
    with sqlite3.connect(tmp_path / "b.db") as copy:
        assert copy.execute("SELECT coalesce(sum(n), 0) FROM t").fetchone() == (0,)


def test_a_turn_that_cannot_be_had_is_unavailable_and_can_be_had_later(tmp_path: Path) -> None:
    folder = tmp_path / "away"
    turn = WriterTurn(folder / "lock")
    with pytest.raises(Unavailable), turn.taken():
        pass
    folder.mkdir()
    with turn.taken() as ours:
        assert ours
