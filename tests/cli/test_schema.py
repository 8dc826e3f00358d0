"""A database that is fresh, behind, or of a newer Switchboard."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, text

from switchboard.config import ROOT, read_settings
from switchboard.lib import schema
from switchboard.lib.db import Database
from tests.backends import Postgres
from tests.cli.conftest import CommandLine, process

# the newest of the files, whichever it is by now
HEAD = max(path.name for path in (ROOT / "migrations" / "versions").glob("[0-9]*.py"))[:4]
BEHIND = (
    "error: The database is not at the current schema; run: python -m switchboard db upgrade "
    "(app.py does it by itself). (conflict)"
)


def folder(cli: CommandLine) -> Path:
    return Path(cli.environ["SWITCHBOARD_DATA"])


def set_revision(cli: CommandLine, revision: str | None) -> None:
    engine = create_engine(read_settings(cli.environ).database_url)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM alembic_version"))
        if revision:
            version = {"revision": revision}
            connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), version)
    engine.dispose()


def test_the_revisions_known_are_those_of_alembic(tmp_path: Path) -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    revisions = [each.revision for each in ScriptDirectory.from_config(config).walk_revisions()]
    db = Database(f"sqlite:///{tmp_path / 'empty.db'}")
    found = schema.state(db)
    db.dispose()
    assert (list(found.known), found.head) == (revisions[::-1], revisions[0])


def test_a_fresh_folder_gets_keys_and_a_database(fresh: CommandLine) -> None:
    first = fresh.run("account", "create", "ana", "--email", "a@e.org", "--json")
    assert first.exit_code == 0
    assert first.stderr.count("note: made the key file") == 2
    assert fresh.run("account", "list", "--json").stderr == ""
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in folder(fresh).iterdir()}
    assert (modes["secret_key"], modes["encryption_key"]) == (0o600, 0o600)
    assert stat.S_IMODE(folder(fresh).stat().st_mode) == 0o700


def test_many_commands_may_find_a_folder_fresh_at_once(fresh: CommandLine) -> None:
    names = [f"a{number}" for number in range(3)]
    children = [
        process(fresh.environ, "account", "create", name, "--email", "a@e.org") for name in names
    ]
    results = [(child.communicate(timeout=60)[1], child.returncode) for child in children]
    assert [code for _, code in results] == [0] * 3, results
    made = fresh.json("account", "list")
    assert [account["name"] for account in made] == names
    assert sum(account["admin"] for account in made) == 1


def test_an_empty_postgres_waits_for_its_upgrade(postgres: Postgres, tmp_path: Path) -> None:
    with postgres.fresh() as url:
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
        engine.dispose()
        environ = {"DATA": str(tmp_path), "DATABASE_URL": url, "SECRET_KEY": "s"}
        cli = CommandLine({f"SWITCHBOARD_{name}": value for name, value in environ.items()})
        assert cli.error("account", "list") == (1, BEHIND)
        assert cli.json("db", "upgrade") == {"from": None, "to": HEAD}
        assert cli.json("account", "list") == []


def test_a_database_that_is_behind_says_what_to_run(cli: CommandLine) -> None:
    set_revision(cli, None)
    for args in (("account", "list"), ("source", "pause", "x"), ("vault", "rotate")):
        assert cli.error(*args) == (1, BEHIND)


def test_upgrade_says_where_it_came_from(fresh: CommandLine) -> None:
    assert fresh.json("db", "upgrade") == {"from": None, "to": HEAD}
    assert fresh.json("db", "upgrade") == {"from": HEAD, "to": HEAD}
    assert "at the current schema already" in fresh.text("db", "upgrade")


def test_a_newer_database_is_left_alone(cli: CommandLine) -> None:
    set_revision(cli, "0999")
    said = f"The database is at schema 0999 and this Switchboard knows up to {HEAD}."
    for args in (("account", "list"), ("db", "upgrade")):
        exit_code, sentence = cli.error(*args)
        assert (exit_code, said in sentence) == (1, True)


def test_somebody_elses_database_is_not_migrated(fresh: CommandLine) -> None:
    folder(fresh).mkdir()
    with sqlite3.connect(folder(fresh) / "switchboard.db") as theirs:
        theirs.execute("CREATE TABLE bookmarks (id INTEGER)")
    theirs.close()
    assert fresh.run("account", "list").stderr.endswith(f"{BEHIND}\n")


@pytest.mark.parametrize("content", [b"", b"not a key", b"\xff\xfe"])
def test_a_key_file_that_is_no_key_is_told(fresh: CommandLine, content: bytes) -> None:
    fresh.json("account", "list")
    (folder(fresh) / "encryption_key").write_bytes(content)
    exit_code, sentence = fresh.error("account", "list")
    assert (exit_code, "encryption_key cannot be read as a key" in sentence) == (2, True)
