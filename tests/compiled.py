"""Statements compiled once a process: every test makes an engine, and would compile all it uses again.

SQLAlchemy keys what it compiled by the engine's dialect, so engines of one kind share the dialect of
the first that connected, and its cache.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, event
from sqlalchemy.util import LRUCache

STATEMENTS = 5_000

_first: dict[tuple[str, object], Engine] = {}


def share() -> None:
    """From now on, for every engine of this process."""
    event.listen(Engine, "engine_connect", _join)


def _join(connection: Connection) -> None:
    engine, dialect = connection.engine, connection.dialect
    kind = dialect.name, getattr(dialect, "_on_connect_isolation_level", None)
    first = _first.setdefault(kind, engine)
    if first is engine:
        engine._compiled_cache = LRUCache(STATEMENTS)
    elif engine.dialect is not first.dialect:
        engine.dialect = connection.dialect = first.dialect
        engine._compiled_cache = first._compiled_cache
