"""A copy of a SQLite database, taken while others write to it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from switchboard.errors import Conflict, Invalid, NotFound, Unavailable
from switchboard.lib.db import Database, storage_errors


def backup(db: Database, path: Path) -> int:
    """Copy the database as of one moment to the new file `path` (0600); its size in bytes.

    The file appears whole or not at all. Raises Conflict on Postgres and for a file that exists,
    NotFound without a database, Invalid for a folder that is not there, Unavailable when the disk
    refuses. https://sqlite.org/backup.html
    """
    if not db.is_sqlite:
        raise Conflict(
            "The database is Postgres, which has its own tool: "
            "pg_dump --format=custom --file=switchboard.dump YOUR_DATABASE."
        )
    if not Path(db.engine.url.database or "").is_file():
        raise NotFound("There is no database yet. Is SWITCHBOARD_DATA the right folder?")
    _reserve(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _copy(db, part)
        os.replace(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        if isinstance(error, (OSError, sqlite3.Error)):
            raise Unavailable(f"The backup could not be written: {error}.") from error
        raise
    return path.stat().st_size


def _reserve(path: Path) -> None:
    """Take the name, so that what replaces it in the end can only be our own empty file."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise Conflict(f"{path} exists already; a backup never overwrites. Name another.") from None
    except OSError as error:
        raise Invalid(f"{path} cannot be made: {error.strerror}.", field="path") from None


def _copy(db: Database, part: Path) -> None:
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    target = sqlite3.connect(part)
    try:
        with storage_errors(), db.engine.connect() as connection:
            source = connection.connection.driver_connection
            assert isinstance(source, sqlite3.Connection)
            source.backup(target)  # all pages in one step: one snapshot, and writers go on
        # the copy says WAL as its source does; alone, without -wal and -shm, it is easier to move
        target.execute("PRAGMA journal_mode=DELETE")
    finally:
        target.close()
