"""The SQL of the ack path: compiled once, on the short way of `lib/express.py` (docs/performance.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, bindparam, or_, select, update
from sqlalchemy.dialects import postgresql

from switchboard.lib import bodykeys
from switchboard.lib.express import Express, Prepared, Write, insert_into
from switchboard.models import (
    Delivery,
    DeliveryBody,
    DeliveryKey,
    Endpoint,
    EndpointHook,
    Repo,
    Source,
    SourceRoute,
    SourceSecret,
)
from switchboard.models.base import UTCDateTime, table_of
from switchboard.models.endpoints import live_endpoint


@dataclass(frozen=True)
class Target:
    """Where a source's work goes: an endpoint that is alive, its owner, the queue, whether a bell rings."""

    endpoint_id: str
    endpoint_slug: str
    endpoint_name: str
    endpoint_queues: tuple[str, ...]
    queue: str
    owner_account_id: str | None
    owner_team_id: str | None
    has_hook: bool


@dataclass(frozen=True)
class FoundSource:
    """A source as the ack path needs it; `secrets` are (secret id, sealed), `rules` as stored."""

    id: str
    kind: str
    name: str
    state: str
    letters: str
    host: str
    repo_globs: list[str]
    owner_account_id: str | None
    owner_team_id: str | None
    repo_id: str | None
    repo_name: str | None
    rules: list[dict[str, Any]]
    red_opens_todo: bool
    failures: int
    paused_by: str | None
    probe_at: datetime | None
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
    Source.repo_id,
    Repo.name,
    Source.rules,
    Source.red_opens_todo,
    Source.failures,
    Source.paused_by,
    Source.probe_at,
)
_TARGET_COLUMNS = (
    Endpoint.id,
    Endpoint.slug,
    Endpoint.name,
    Endpoint.queues,
    SourceRoute.queue,
    Endpoint.owner_account_id,
    Endpoint.owner_team_id,
    EndpointHook.endpoint_id,
)


def _find_source(where: ColumnElement[bool]) -> Prepared:
    """A row for each pair of a secret good now and a live target."""
    return Prepared(
        select(*_SOURCE_COLUMNS, SourceSecret.id, SourceSecret.sealed, *_TARGET_COLUMNS)
        .outerjoin(Repo, Repo.id == Source.repo_id)
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
        .outerjoin(EndpointHook, EndpointHook.endpoint_id == Endpoint.id)
        .where(where, Source.state != "revoked")
        .order_by(Endpoint.id, SourceRoute.queue)
    )


_BY_TOKEN = _find_source(
    and_(Source.token_hash == bindparam("token_hash"), Source.repo_id.is_(None))
)
_BY_PLACE = _find_source(and_(Repo.key == bindparam("repo_key"), Source.name == bindparam("name")))
_BY_TRANSPORT = _find_source(Source.transport == bindparam("transport"))
_BY_ID = _find_source(Source.id == bindparam("source_id"))

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
_FIND_BODY = Prepared(
    select(DeliveryKey.delivery_id)
    .where(
        DeliveryKey.source_id == bindparam("source_id"),
        DeliveryKey.key > bindparam("after"),
        DeliveryKey.key < bindparam("before"),
    )
    .limit(1)
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

_SETTLE = Prepared(
    update(table_of(Delivery))
    .where(table_of(Delivery).c.id == bindparam("row_id"))
    .values(
        **{
            name: bindparam(f"new_{name}", type_=table_of(Delivery).c[name].type)
            for name in ("status", "http_status", "code", "reason", "outcome")
        }
    )
)
_COUNT_ATTEMPT = Prepared(
    update(table_of(Delivery))
    .where(table_of(Delivery).c.id == bindparam("row_id"))
    .values(attempt=table_of(Delivery).c.attempt + 1, last_attempt_at=bindparam("at"))
)


def source_by_token(express: Express, token_hash: str, now: datetime) -> FoundSource | None:
    """The source of an ingest URL with the secrets good now and its live targets."""
    return _found(express.rows(_BY_TOKEN, {"token_hash": token_hash, "now": now}))


def source_by_place(express: Express, repo: str, name: str, now: datetime) -> FoundSource | None:
    """The source of that name filed under the repo, in the same form."""
    return _found(express.rows(_BY_PLACE, {"repo_key": repo.lower(), "name": name, "now": now}))


def source_of_transport(express: Express, transport: str, now: datetime) -> FoundSource | None:
    """The built-in source by which mail of that way comes in, in the same form."""
    return _found(express.rows(_BY_TRANSPORT, {"transport": transport, "now": now}))


def source_by_id(express: Express, source_id: str, now: datetime) -> FoundSource | None:
    """The source of that id, in the same form."""
    return _found(express.rows(_BY_ID, {"source_id": source_id, "now": now}))


def _found(rows: list[tuple[Any, ...]]) -> FoundSource | None:
    if not rows:
        return None
    split = len(_SOURCE_COLUMNS)
    secrets = dict.fromkeys(row[split : split + 2] for row in rows if row[split] is not None)
    targets = dict.fromkeys(_target(*row[split + 2 :]) for row in rows if row[split + 2])
    return FoundSource(*(*rows[0][:split], tuple(secrets), tuple(targets)))


def _target(
    id: str,
    slug: str,
    name: str,
    queues: list[str],
    queue: str,
    account: str | None,
    team: str | None,
    hook: str | None,
) -> Target:
    return Target(id, slug, name, tuple(queues), queue, account, team, hook is not None)


def find_keys(express: Express, source_id: str, keys: Collection[str], now: datetime) -> list[Held]:
    """The deliveries that hold any of these keys."""
    padded = [*keys, *[""] * (MOST_KEYS - len(keys))]
    params = {f"key_{number}": key for number, key in enumerate(padded)}
    rows = express.rows(_FIND_KEYS, {"source_id": source_id, "now": now, **params})
    return [Held(*row) for row in rows]


def has_body(express: Express, source_id: str, body_sha256: str) -> bool:
    """Whether a delivery on record came with that body, under whatever event, where its kind goes by it."""
    after, before = bodykeys.range_of(body_sha256)
    given = {"source_id": source_id, "after": after, "before": before}
    return bool(express.rows(_FIND_BODY, given))


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


def settle_write(delivery_id: str, settled: Mapping[str, Any]) -> Write:
    """What became of a delivery that was taken up first and read later."""
    values = {f"new_{name}": value for name, value in settled.items()}
    return Write(_SETTLE, {"row_id": delivery_id, **values})


def attempt_write(delivery_id: str, at: datetime) -> Write:
    """The sender sent this delivery once more."""
    return Write(_COUNT_ATTEMPT, {"row_id": delivery_id, "at": at})
