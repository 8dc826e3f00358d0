"""Whether a database has the schema that this code works on; asked without loading Alembic.

Alembic costs a command a quarter of its time, so the revisions there are come from the names of the
files in `migrations/versions` (`0001_the_first_schema.py`), which a test holds equal to Alembic's.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import inspect, text

from switchboard.config import ROOT
from switchboard.errors import Conflict
from switchboard.lib.db import Database


@dataclass(frozen=True)
class Schema:
    """`at` is the database's revision (None: no Switchboard schema), `head` the newest there is."""

    at: str | None
    head: str
    known: tuple[str, ...]
    is_empty: bool

    @property
    def is_current(self) -> bool:
        """Whether the code and the database fit."""
        return self.at == self.head

    @property
    def is_newer(self) -> bool:
        """Whether a newer Switchboard made the database."""
        return self.at is not None and self.at not in self.known


def state(db: Database) -> Schema:
    """How the database stands. Raises Unavailable when it is away."""
    files = (ROOT / "migrations" / "versions").glob("[0-9]*.py")
    known = tuple(sorted(file.name.partition("_")[0] for file in files))
    with db.read() as session:
        tables = inspect(session.connection()).get_table_names()
        at = None
        if "alembic_version" in tables:
            at = session.scalar(text("SELECT version_num FROM alembic_version"))
    return Schema(at, known[-1], known, not tables)


def refuse_newer(db: Database) -> None:
    """Raise Conflict when a newer Switchboard made the database, Unavailable when it is away."""
    found = state(db)
    if found.is_newer:
        raise Conflict(
            f"The database is at schema {found.at} and this Switchboard knows up to {found.head}. "
            "Run the newer version, or restore a backup."
        )
