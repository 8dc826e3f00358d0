"""Many deliveries at once for tests of what a question costs, and how many rows answering it reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import event, insert, text

from switchboard.lib import clock, ids
from switchboard.models import Delivery
from tests.world import World

STEPS_A_ROW = 12  # of SQLite's machine, for a row that is read from an index; about


def record(world: World, source_id: str | None, status: str, count: int) -> None:
    """Record so many requests of one outcome."""
    now = clock.now()
    row = {
        "source_id": source_id,
        "kind": "github",
        "subject": "One of many",
        "status": status,
        "http_status": 202 if status == "accepted" else 401,
        "code": "accepted" if status == "accepted" else "bad_signature",
        "reason": "Why.",
        "duration_ms": 1,
        "bytes": 2,
        "body_sha256": "0" * 64,
        "remote_addr": "192.0.2.1",
        "verified": False,
        "headers": {},
        "outcome": {},
        "received_at": now,
        "last_attempt_at": now,
    }
    with world.lib.db.write() as session:
        session.execute(insert(Delivery), [row | {"id": ids.new("delivery")} for _ in range(count)])
    with world.lib.db.autocommit_engine.connect() as connection:  # as it is on a box after a while
        connection.execute(
            text("ANALYZE" if world.lib.db.is_sqlite else "VACUUM ANALYZE deliveries")
        )


def rows_read(world: World, act: Callable[[], object]) -> int:
    """About how many rows of tables and indexes the statements of `act` have to look at."""
    seen: list[tuple[str, Any]] = []

    def see(_c: Any, _cursor: Any, statement: str, values: Any, _x: Any, _many: bool) -> None:
        if statement.startswith(("SELECT", "WITH")):
            seen.append((statement, values))

    engine = world.lib.db.engine
    event.listen(engine, "before_cursor_execute", see)
    try:
        act()
    finally:
        event.remove(engine, "before_cursor_execute", see)
    return sum(rows_of(world, *each) for each in seen)


def rows_of(world: World, statement: str, values: Any) -> int:
    """The same of one statement, which is run and rolled back."""
    pooled = world.lib.db.engine.raw_connection()
    try:
        if not world.lib.db.is_sqlite:
            explained = pooled.cursor()
            for way in ("seqscan", "bitmapscan"):  # the best way while a table is small
                explained.execute(f"SET LOCAL enable_{way} = off")
            explained.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values)
            [[[plan]]] = explained.fetchall()
            return _scanned(plan["Plan"])
        steps: list[int] = []
        driver = pooled.driver_connection
        driver.execute("BEGIN")
        driver.set_progress_handler(lambda: steps.append(1) or 0, STEPS_A_ROW)
        driver.execute(statement, values).fetchall()
        driver.set_progress_handler(None, 0)
        return len(steps)
    finally:
        pooled.rollback()
        pooled.close()


def _scanned(node: dict[str, Any]) -> int:
    inner = sum(_scanned(each) for each in node.get("Plans", ()))
    if node.get("Relation Name") is None and node["Node Type"] != "Bitmap Index Scan":
        return inner
    rows = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    return inner + int(rows * node["Actual Loops"])
