"""Opening what the box stands on: the settings, then the database at the schema we know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from switchboard.config import load_settings
from switchboard.errors import Conflict

if TYPE_CHECKING:
    from switchboard.lib.plumbing import Plumbing


def plumbing() -> Plumbing:
    """The plumbing of this environment, whatever state the database is in.

    A first use on SQLite makes its keys and says so. Raises SettingsError.
    """
    from switchboard.lib.plumbing import Plumbing  # late: bad settings are told without loading it

    settings, made = load_settings()
    for path in made:
        click.echo(f"note: made the key file {path}; keep a copy of it.", err=True)
    lib = Plumbing(settings)
    click.get_current_context().call_on_close(lib.db.dispose)
    return lib


def ready() -> Plumbing:
    """The plumbing with its database at the current schema; an empty SQLite one is brought there.

    Raises SettingsError, Unavailable, and Conflict for a database at another schema.
    """
    from switchboard.lib import schema

    lib = plumbing()
    found = schema.state(lib.db)
    if found.is_newer:
        schema.refuse_newer(lib.db)
    if found.is_empty and lib.db.is_sqlite:
        from switchboard.lib import migrate  # late: Alembic is slow to load

        migrate.upgrade(lib.db)
    elif not found.is_current:
        raise Conflict(
            "The database is not at the current schema; run: python -m switchboard db upgrade "
            "(app.py does it by itself)."
        )
    return lib
