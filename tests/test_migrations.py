"""An instance of an earlier version comes up with all it had."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text

from switchboard.lib import migrate
from switchboard.lib.db import Database
from tests.backends import Postgres

MOMENT = "2026-11-30 12:00:00+00:00"
ROWS = (
    """INSERT INTO accounts (id, name, email, letters, is_admin, session_epoch, created_at)
    VALUES ('ac_1', 'ana', 'a@example.org', 'n', true, 0, :at)""",
    """INSERT INTO sources (id, kind, name, token_hash, token_sealed, letters, state, host, repo_globs,
    secret_known_to_agent, created_at, owner_account_id)
    VALUES ('sr_1', 'github', 'octo', 'h1', 's', 'n', 'paused', 'github.com', '[]', false, :at, 'ac_1'),
    ('sr_2', 'github', 'hub', 'h2', 's', 'n', 'active', 'github.com', '[]', false, :at, 'ac_1')""",
    """INSERT INTO deliveries (id, source_id, kind, status, http_status, code, reason, duration_ms,
    attempt, count, bytes, body_sha256, remote_addr, verified, headers, outcome, received_at,
    last_attempt_at) VALUES ('dl_1', 'sr_1', 'github', 'accepted', 202, 'accepted', 'r', 1, 1, 1, 2, 'x',
    '127.0.0.1', true, '{}', '{}', :at, :at)""",
    "INSERT INTO delivery_bodies (delivery_id, body) VALUES ('dl_1', :body)",
)


@pytest.fixture(params=["sqlite", "postgres"])
def first(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A database of the first schema with rows in it."""
    if request.param == "sqlite":
        yield _filled(f"sqlite:///{tmp_path / 'old.db'}")
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.fresh() as url:
        db = Database(url)
        with db.engine.begin() as connection:
            for each in ("DROP SCHEMA public CASCADE", "CREATE SCHEMA public"):
                connection.execute(text(each))
        db.dispose()
        yield _filled(url)


def _filled(url: str) -> Database:
    db = Database(url)
    with db.engine.begin() as connection:
        command.upgrade(migrate._config(connection), "0001")
    with db.engine.begin() as connection:
        for each in ROWS:
            given = {"at": MOMENT} if ":body" not in each else {"body": b"{}"}
            connection.execute(text(each), given)
    return db


def test_the_first_schema_is_upgraded_with_all_it_holds(first: Database) -> None:
    migrate.upgrade(first)
    with first.read() as session:
        sources = session.execute(
            text("SELECT state, paused_by, failures, red_opens_todo FROM sources ORDER BY id")
        ).all()
        bodies = session.execute(text("SELECT delivery_id FROM delivery_bodies")).scalars().all()
    assert [(*row[:3], bool(row[3])) for row in sources] == [
        ("paused", "human", 0, False),
        ("active", None, 0, False),
    ]
    assert bodies == ["dl_1"]
    first.dispose()


def test_a_name_is_still_an_owners_only_one_after_the_upgrade(first: Database) -> None:
    migrate.upgrade(first)
    with first.engine.connect() as connection, pytest.raises(Exception, match=r"(?i)unique"):
        connection.execute(text("UPDATE sources SET name = 'octo'"))
    first.dispose()
