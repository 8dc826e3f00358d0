"""How far other machines' clocks are from ours, in seconds; positive when they are ahead."""

from __future__ import annotations

from datetime import UTC, datetime

from redis import Redis
from sqlalchemy import text

from switchboard.lib import clock
from switchboard.lib.db import Database


def of_database(db: Database) -> float:
    """Postgres's clock against ours. Raises Unavailable."""
    with db.read() as session:
        session.connection()  # so that connecting is not counted
        before = clock.now()
        theirs: datetime = session.execute(text("SELECT clock_timestamp()")).scalar_one()
        return _ahead(theirs, before, clock.now())


def of_valkey(client: Redis) -> float:
    """Valkey's clock against ours. Raises RedisError."""
    client.ping()
    before = clock.now()
    seconds, microseconds = client.time()
    return _ahead(datetime.fromtimestamp(seconds + microseconds / 1e6, UTC), before, clock.now())


def _ahead(theirs: datetime, before: datetime, after: datetime) -> float:
    return (theirs - (before + (after - before) / 2)).total_seconds()
