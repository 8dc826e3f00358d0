"""A long-lived box's record, loaded by SQL: accepted deliveries with their keys, bodies and todos.

The rows are spread evenly over the last 29 days, so retention leaves them alone unless told otherwise.
"""

from __future__ import annotations

import json
import zlib

from sqlalchemy import text
from sqlalchemy.engine import Engine

from switchboard.lib import clock, ids

DAYS = 29
BATCH = 50_000
REFUSED_EVERY = 20  # a fair share of refusals, for the index that holds only those
_BODY = zlib.compress(json.dumps({"action": "opened", "pad": "x" * 400}).encode(), 1)
_HEADERS = {
    "Content-Type": "application/json",
    "X-Github-Event": "issues",
    "X-Hub-Signature-256": "***",
}

# A ULID is ten characters of time and sixteen of chance; here the chance is the row's number.
_CLOCK = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME = " || ".join(
    f"substr('{_CLOCK}', CAST((ms / {32**power}) % 32 AS INTEGER) + 1, 1)"
    for power in range(9, -1, -1)
)
_ULID = f"{_TIME} || '00000' || CAST(10000000000 + n AS text)"
_NUMBERS = {
    "sqlite": "WITH RECURSIVE r(n) AS (SELECT :low UNION ALL SELECT n + 1 FROM r WHERE n < :high) ",
    "postgresql": "WITH r AS (SELECT generate_series(CAST(:low AS bigint), :high) AS n) ",
}
_INSERTS = (
    """INSERT INTO deliveries (id, source_id, kind, event_type, sender_id, subject, status,
    http_status, code, reason, duration_ms, attempt, count, bytes, body_sha256, remote_addr, trust,
    verified, headers, outcome, received_at, last_attempt_at)
    {rows} SELECT 'dl_' || {ulid}, :source, 'github', 'issues.opened',
    'bulk-' || CAST(n AS text), 'Loaded ' || CAST(n AS text),
    CASE WHEN n % {every} = 0 THEN 'refused' ELSE 'accepted' END,
    CASE WHEN n % {every} = 0 THEN 422 ELSE 202 END,
    CASE WHEN n % {every} = 0 THEN 'unmappable' ELSE 'accepted' END,
    'Accepted: it became 1 todo.', 2, 1, 1, 420, :sha, '127.0.0.1', 'signed', :yes, :headers,
    :outcome, {at}, {at} FROM t""",
    """INSERT INTO delivery_keys (source_id, key, delivery_id)
    {rows} SELECT :source, 'id:bulk-' || n, 'dl_' || {ulid} FROM t""",
    """INSERT INTO delivery_bodies (delivery_id, body)
    {rows} SELECT 'dl_' || {ulid}, :body FROM t""",
    """INSERT INTO todos (id, owner_account_id, endpoint_id, queue, state, attempt, failures, title,
    kind, source_id, delivery_id, created_at, finished_at)
    {rows} SELECT 'td_' || {ulid}, :owner, :endpoint, 'default', 'done', 1, 0, 'Loaded ' || CAST(n AS text),
    'issues.opened', :source, 'dl_' || {ulid}, {at}, {at} FROM t WHERE n % {every} <> 0""",
)


def load(engine: Engine, first: int, count: int, *, source: str, endpoint: str, owner: str) -> None:
    """Add `count` deliveries of that source, numbered from `first`, each with what it leaves."""
    dialect = engine.dialect.name
    at = (
        "to_timestamp(ms / 1000.0)"
        if dialect == "postgresql"
        else "strftime('%Y-%m-%d %H:%M:%f', ms / 1000.0, 'unixepoch') || '000'"
    )
    now = int(clock.now().timestamp() * 1000)
    end = first + count
    step = DAYS * 86_400_000 // count
    moment = f"CAST({now} - ({end} - n) * {step} AS bigint)"
    rows = f"{_NUMBERS[dialect]}, t AS (SELECT n, {moment} AS ms FROM r)"
    given = {
        "source": source,
        "endpoint": endpoint,
        "owner": owner,
        "sha": "0" * 64,
        "yes": True,
        "body": _BODY,
        "headers": json.dumps(_HEADERS),
        "outcome": json.dumps({"delivery": ids.new("delivery"), "todos": [], "created": 1}),
    }
    for low in range(first, end, BATCH):
        span = {"low": low, "high": min(low + BATCH, end) - 1}
        with engine.begin() as connection:
            for each in _INSERTS:
                connection.execute(
                    text(each.format(rows=rows, ulid=_ULID, every=REFUSED_EVERY, at=at)),
                    {**given, **span},
                )
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
