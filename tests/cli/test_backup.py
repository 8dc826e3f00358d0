"""`db backup`: a copy of one moment, made while others write."""

from __future__ import annotations

import sqlite3
import stat
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine


@pytest.fixture
def busy(fresh: CommandLine) -> CommandLine:
    """A box on SQLite with two tables that every transaction of a writer fills alike."""
    fresh.json("account", "create", "ana", "--email", "a@e.org")
    with sqlite3.connect(database(fresh)) as connection:
        connection.execute("CREATE TABLE left_side (n INTEGER, filler TEXT)")
        connection.execute("CREATE TABLE right_side (n INTEGER, filler TEXT)")
    connection.close()
    return fresh


def database(cli: CommandLine) -> Path:
    return Path(cli.environ["SWITCHBOARD_DATA"]) / "switchboard.db"


def write_pairs(path: Path, stop: threading.Event) -> None:
    connection = sqlite3.connect(path, timeout=30)
    number = 0
    while not stop.is_set():
        number += 1
        with connection:
            for table in ("left_side", "right_side"):
                row = (number, "x" * 2000)
                connection.execute(f"INSERT INTO {table} VALUES (?, ?)", row)
    connection.close()


def test_a_backup_under_writes_is_whole_and_of_one_moment(
    busy: CommandLine, tmp_path: Path
) -> None:
    stop = threading.Event()
    writers = [threading.Thread(target=write_pairs, args=(database(busy), stop)) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        copies = [tmp_path / f"copy{number}.db" for number in range(8)]
        for copy in copies:
            busy.json("db", "backup", str(copy))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    rows = []
    for copy in copies:
        connection = sqlite3.connect(copy)
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        left, right, accounts = (
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("left_side", "right_side", "accounts")
        )
        connection.close()
        assert (left, accounts) == (right, 1)
        rows.append(left)
    assert rows == sorted(rows) and rows[-1] > rows[0]


def test_a_backup_is_one_file_for_its_owner_alone(busy: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "copies" / "copy.db"
    path.parent.mkdir()
    made = busy.json("db", "backup", str(path))
    assert made == {"path": str(path), "bytes": path.stat().st_size}
    assert [each.name for each in path.parent.iterdir()] == ["copy.db"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_box_runs_on_a_restored_backup(busy: CommandLine, tmp_path: Path) -> None:
    busy.json("db", "backup", str(tmp_path / "copy.db"))
    for file in database(busy).parent.glob("switchboard.db*"):
        file.unlink()
    (tmp_path / "copy.db").rename(database(busy))
    assert busy.json("account", "list")[0]["name"] == "ana"


def test_a_backup_never_overwrites(busy: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    path.write_text("precious")
    exit_code, sentence = busy.error("db", "backup", str(path))
    assert (exit_code, "exists already" in sentence) == (1, True)
    assert path.read_text() == "precious"


def test_a_folder_that_is_not_there_is_bad_input(busy: CommandLine, tmp_path: Path) -> None:
    exit_code, sentence = busy.error("db", "backup", str(tmp_path / "no" / "copy.db"))
    assert (exit_code, "cannot be made: No such file" in sentence) == (2, True)


def test_a_backup_that_fails_leaves_nothing(
    busy: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    database(busy).write_bytes(b"no database at all" * 1000)
    for side in database(busy).parent.glob("switchboard.db-*"):
        side.unlink()
    assert busy.run("db", "backup", str(folder / "copy.db")).exit_code == 1
    assert list(folder.iterdir()) == []


def test_without_a_database_there_is_nothing_to_back_up(fresh: CommandLine, tmp_path: Path) -> None:
    result = fresh.run("db", "backup", str(tmp_path / "copy.db"))
    assert (result.exit_code, "(not_found)" in result.stderr) == (1, True)
    assert not (tmp_path / "copy.db").exists()


def test_on_postgres_it_names_the_tool(cli: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "copy.db"
    if "sqlite" in cli.environ["SWITCHBOARD_DATABASE_URL"]:
        assert cli.run("db", "backup", str(path)).exit_code == 0
        return
    exit_code, sentence = cli.error("db", "backup", str(path))
    assert (exit_code, "pg_dump" in sentence, path.exists()) == (1, True, False)
