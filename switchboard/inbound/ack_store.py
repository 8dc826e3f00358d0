"""The SQL of the ack path: compiled once, on the short way of `lib/express.py` (docs/performance.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, or_, select, update
from sqlalchemy.dialects import postgresql

from switchboard.lib.express import Express, Prepared, Write, insert_into
from switchboard.models import (
    Delivery,
    DeliveryBody,
    DeliveryKey,
    Endpoint,
    Source,
    SourceRoute,
    SourceSecret,
)
from switchboard.models.base import UTCDateTime, table_of
from switchboard.models.endpoints import live_endpoint


@dataclass(frozen=True)
class Target:
    """Where a source's work goes: an endpoint that is alive, its owner, and the queue."""

    endpoint_id: str
    endpoint_slug: str
    queue: str
    owner_account_id: str | None
    owner_team_id: str | None


@dataclass(frozen=True)
class FoundSource:
    """A source as the ack path needs it; `secrets` are (secret id, sealed)."""

    id: str
    kind: str
    name: str
    state: str
    letters: str
    host: str
    repo_globs: list[str]
    owner_account_id: str | None
    owner_team_id: str | None
    secrets: tuple[tuple[str, str], ...]
    targets: tuple[Target, ...]

    @property
    def owner_id(self) -> str:
        """The account or team that owns it."""
        return self.owner_account_id or self.owner_team_id or ""


@dataclass(frozen=True)
class Held:
    """A key and the delivery that holds it."""

    key: str
    id: str
    status: str
    http_status: int
    body_sha256: str
    outcome: dict[str, Any]
    last_attempt_at: datetime


_SOURCE_COLUMNS = (
    Source.id,
    Source.kind,
    Source.name,
    Source.state,
    Source.letters,
    Source.host,
    Source.repo_globs,
    Source.owner_account_id,
    Source.owner_team_id,
)
_TARGET_COLUMNS = (
    Endpoint.id,
    Endpoint.slug,
    SourceRoute.queue,
    Endpoint.owner_account_id,
    Endpoint.owner_team_id,
)

_FIND_SOURCE = Prepared(
    select(*_SOURCE_COLUMNS, SourceSecret.id, SourceSecret.sealed, *_TARGET_COLUMNS)
    .outerjoin(
        SourceSecret,
        (SourceSecret.source_id == Source.id)
        & or_(SourceSecret.expires_at.is_(None), SourceSecret.expires_at > bindparam("now")),
    )
    .outerjoin(SourceRoute, SourceRoute.source_id == Source.id)
    .outerjoin(
        Endpoint,
        (Endpoint.id == SourceRoute.endpoint_id)
        & live_endpoint(bindparam("now", type_=UTCDateTime)),
    )
    .where(Source.token_hash == bindparam("token_hash"), Source.state != "revoked")
    .order_by(Endpoint.id, SourceRoute.queue)
)

MOST_KEYS = 3
RECEIVING = timedelta(
    minutes=1
)  # an id is made when a delivery is taken up, its time when it is recorded
_FIND_KEYS = Prepared(
    select(
        DeliveryKey.key,
        Delivery.id,
        Delivery.status,
        Delivery.http_status,
        Delivery.body_sha256,
        Delivery.outcome,
        Delivery.last_attempt_at,
    )
    .join(Delivery, Delivery.id == DeliveryKey.delivery_id)
    .where(
        DeliveryKey.source_id == bindparam("source_id"),
        DeliveryKey.key.in_([bindparam(f"key_{number}") for number in range(MOST_KEYS)]),
        or_(DeliveryKey.expires_at.is_(None), DeliveryKey.expires_at > bindparam("now")),
    )
)


_INSERT_DELIVERY = insert_into(table_of(Delivery))
_INSERT_BODY = insert_into(table_of(DeliveryBody))


def _claim_statement(keys: int) -> Prepared:
    """Claim so many keys that are free or expired; a held one is left alone and not counted."""
    table = table_of(DeliveryKey)
    rows = [
        {
            "source_id": bindparam("source_id"),
            "key": bindparam(f"key_{number}"),
            "delivery_id": bindparam("delivery_id"),
            "expires_at": bindparam(f"expires_at_{number}", type_=table.c.expires_at.type),
        }
        for number in range(keys)
    ]
    # both databases speak this form of it, so one of their dialects' constructs serves
    statement = postgresql.insert(table).values(rows)
    return Prepared(
        statement.on_conflict_do_update(
            index_elements=["source_id", "key"],
            set_={
                "delivery_id": statement.excluded.delivery_id,
                "expires_at": statement.excluded.expires_at,
            },
            where=table.c.expires_at <= bindparam("now", type_=table.c.expires_at.type),
        )
    )


_CLAIM_KEYS = [_claim_statement(number) for number in range(1, MOST_KEYS + 1)]

_COUNT_ATTEMPT = Prepared(
    update(table_of(Delivery))
    .where(table_of(Delivery).c.id == bindparam("row_id"))
    .values(attempt=table_of(Delivery).c.attempt + 1, last_attempt_at=bindparam("at"))
)


def find_source(express: Express, token_hash: str, now: datetime) -> FoundSource | None:
    """The source of an ingest URL with the secrets good now and its live targets."""
    rows = express.rows(_FIND_SOURCE, {"token_hash": token_hash, "now": now})
    if not rows:
        return None
    secrets = tuple(dict.fromkeys(row[9:11] for row in rows if row[9] is not None))
    targets = tuple(dict.fromkeys(Target(*row[11:]) for row in rows if row[11] is not None))
    return FoundSource(*(*rows[0][:9], secrets, targets))


def find_keys(express: Express, source_id: str, keys: Collection[str], now: datetime) -> list[Held]:
    """The deliveries that hold any of these keys."""
    padded = [*keys, *[""] * (MOST_KEYS - len(keys))]
    params = {f"key_{number}": key for number, key in enumerate(padded)}
    rows = express.rows(_FIND_KEYS, {"source_id": source_id, "now": now, **params})
    return [Held(*row) for row in rows]


def delivery_write(row: Mapping[str, Any]) -> Write:
    """Write a delivery's row."""
    return Write(_INSERT_DELIVERY, row, rows=1)


def body_write(delivery_id: str, compressed: bytes) -> Write:
    """Keep the raw body, already compressed."""
    return Write(_INSERT_BODY, {"delivery_id": delivery_id, "body": compressed})


def claim_writes(
    source_id: str, delivery_id: str, keys: Mapping[str, datetime | None], now: datetime
) -> list[Write]:
    """Claim every key for this delivery; Lost when another delivery holds one.

    Keys are claimed in one order everywhere, so two transactions cannot deadlock.
    """
    if not keys:
        return []
    values: dict[str, Any] = {"source_id": source_id, "delivery_id": delivery_id, "now": now}
    for number, key in enumerate(sorted(keys)):
        values |= {f"key_{number}": key, f"expires_at_{number}": keys[key]}
    return [Write(_CLAIM_KEYS[len(keys) - 1], values, rows=len(keys))]


def attempt_write(delivery_id: str, at: datetime) -> Write:
    """The sender sent this delivery once more."""
    return Write(_COUNT_ATTEMPT, {"row_id": delivery_id, "at": at})
