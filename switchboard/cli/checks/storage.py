"""The database, its schema, its clock, and whether the stored secrets open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from switchboard.access import accounts
from switchboard.access import rotation as of_programs
from switchboard.cli.checks.finding import Finding
from switchboard.cli.checks.skew import of_clock
from switchboard.errors import Problem
from switchboard.inbound import rotation as of_sources
from switchboard.lib import schema, skew
from switchboard.lib.logs import redact
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.rotation import Tally
from switchboard.lib.text import one_line
from switchboard.notify import rotation as of_hooks
from switchboard.vault import rotation as of_connections

UPGRADE = "Run: python -m switchboard db upgrade (app.py does it by itself)"


def check(lib: Plumbing) -> Iterator[Finding]:
    """The findings, in order; after a failure the later ones have nothing to stand on."""
    if lib.db.is_sqlite and not Path(lib.db.engine.url.database or "").is_file():
        yield Finding("database", "warn", "there is none yet", "Start the box: python app.py")
        return
    try:
        found = schema.state(lib.db)
        if not found.is_current:
            yield Finding("database", "ok", _kind(lib))
            yield _schema(found)
            return
        accounts.try_write(lib)
    except Exception as error:  # whatever the database says is the finding
        yield Finding("database", "fail", _why(error), _remedy(lib))
        return
    yield Finding("database", "ok", f"{_kind(lib)}, readable and writable")
    yield _schema(found)
    yield _secrets(lib)
    if not lib.db.is_sqlite:
        yield of_clock("Postgres", skew.of_database(lib.db))


def _kind(lib: Plumbing) -> str:
    return f"SQLite, {lib.db.engine.url.database}" if lib.db.is_sqlite else "Postgres"


def _why(error: Exception) -> str:
    """The database's own words: they name a host, a file or a user, never a password."""
    cause = error.__cause__ or error
    cause = getattr(cause, "orig", None) or cause
    return redact(one_line(f"cannot be read or written: {cause}", 300))


def _remedy(lib: Plumbing) -> str:
    if lib.db.is_sqlite:
        return "Give this user the file and its folder, and look for space on the disk"
    return "See that Postgres runs and that SWITCHBOARD_DATABASE_URL is right"


def _schema(found: schema.Schema) -> Finding:
    if found.is_current:
        return Finding("schema", "ok", f"current ({found.head})")
    if found.is_newer:
        said = f"{found.at} is of a newer Switchboard; this one knows up to {found.head}"
        return Finding("schema", "fail", said, "Run the newer version, or restore a backup")
    return Finding("schema", "fail", f"{found.at or 'none'}, not {found.head}", UPGRADE)


def _secrets(lib: Plumbing) -> Finding:
    try:
        surveys = (of_connections, of_sources, of_hooks, of_programs)
        stored = sum((each.survey(lib) for each in surveys), Tally())
    except Problem as error:
        return Finding("secrets", "fail", error.detail)
    if stored.lost:
        advice = "Set the key they were sealed with, or store them again"
        return Finding("secrets", "fail", f"{stored.lost} do not open with the key set", advice)
    if stored.old:
        found = f"{stored.old} still need SWITCHBOARD_ENCRYPTION_KEY_OLD"
        return Finding("secrets", "warn", found, "Run: python -m switchboard vault rotate")
    if lib.settings["ENCRYPTION_KEY_OLD"]:
        found = "nothing needs SWITCHBOARD_ENCRYPTION_KEY_OLD any more"
        return Finding("secrets", "warn", found, "Unset it and restart")
    return Finding("secrets", "ok", f"all {stored.current} stored secrets open")
