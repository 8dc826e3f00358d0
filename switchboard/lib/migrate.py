"""Bringing a database to the current schema, and saying whether it is there."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from switchboard.config import ROOT
from switchboard.lib import schema
from switchboard.lib.db import Database, storage_errors

# Any number will do, as long as every node uses the same one.
_ADVISORY_LOCK = 7_720_611


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    config.attributes["connection"] = connection
    return config


def upgrade(db: Database) -> None:
    """Migrate to head. Several nodes may call it at once; they take turns.

    Raises Unavailable when storage is away, Conflict for a database of a newer Switchboard.
    """
    schema.refuse_newer(db)
    with storage_errors(), db.engine.execution_options(immediate=True).begin() as connection:
        if not db.is_sqlite:
            lock = text("SELECT pg_advisory_xact_lock(:key)")
            connection.execute(lock, {"key": _ADVISORY_LOCK})
        command.upgrade(_config(connection), "head")


def state(db: Database) -> tuple[str | None, str | None]:
    """The revision the database is at, and the newest there is."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    with db.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision(), head
