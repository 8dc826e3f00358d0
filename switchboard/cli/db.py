"""`db`: upgrade and backup."""

from __future__ import annotations

from pathlib import Path

import click

from switchboard.cli import box, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.lib import backup, schema


@click.group("db", cls=Noun)
def command() -> None:
    """The database: upgrade and backup."""


@command.command("upgrade")
def upgrade() -> Shown:
    """Bring the database to the current schema; harmless when it is there."""
    from switchboard.lib import migrate  # late: Alembic is slow to load

    lib = box.plumbing()
    before = schema.state(lib.db)
    migrate.upgrade(lib.db)
    data = {"from": before.at, "to": before.head}
    if before.is_current:
        return Shown(data, f"The database is at the current schema already ({before.head}).")
    return Shown(data, f"The database went from {before.at or 'empty'} to schema {before.head}.")


@command.command("backup")
@click.argument("path", type=click.Path(path_type=Path))
def make_backup(path: Path) -> Shown:
    """Copy the SQLite database to a new file while the box runs."""
    lib = box.plumbing()
    size = backup.backup(lib.db, path)
    done = f"The database as of now is in {path} ({size:,} bytes), readable by you alone."
    keys = f"Keep the keys too, but elsewhere: {lib.settings.data} has them, or the environment."
    secrets = "Sealed secrets open only with the encryption key."
    return Shown({"path": str(path), "bytes": size}, say.blocks(done, f"{keys} {secrets}"))
