"""The SQL of sources and deliveries.

The ack path's statements are compiled once and take the short way of `lib/express.py`; everything
else uses a session (docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    bindparam,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from switchboard.lib.express import Express, Prepared, Write, all_columns, insert_into
from switchboard.models import (
    Delivery,
    DeliveryBody,
    DeliveryKey,
    Endpoint,
    Source,
    SourceRoute,
    SourceSecret,
    Todo,
)
from switchboard.models.base import in_scope, table_of


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


# ── the ack path ─────────────────────────────────────────────────────────────────────────────────

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
        & Endpoint.revoked_at.is_(None)
        & or_(Endpoint.expires_at.is_(None), Endpoint.expires_at > bindparam("now")),
    )
    .where(Source.token_hash == bindparam("token_hash"), Source.state != "revoked")
    .order_by(Endpoint.id, SourceRoute.queue)
)

MOST_KEYS = 3
RECEIVING = timedelta(minutes=1)  # no body takes longer to come in
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


def _claim_statement() -> Prepared:
    """Claim a key that is free or expired; a held one is left alone and not counted."""
    table = table_of(DeliveryKey)
    # both databases speak this form of it, so one of their dialects' constructs serves
    statement = postgresql.insert(table).values(all_columns(table))
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


_CLAIM_KEY = _claim_statement()

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
    return Write(_INSERT_DELIVERY, row, one=True)


def body_write(delivery_id: str, compressed: bytes) -> Write:
    """Keep the raw body, already compressed."""
    return Write(_INSERT_BODY, {"delivery_id": delivery_id, "body": compressed})


def claim_writes(
    source_id: str, delivery_id: str, keys: Mapping[str, datetime | None], now: datetime
) -> list[Write]:
    """Claim every key for this delivery; Lost when another delivery holds one.

    Keys are claimed in one order everywhere, so two transactions cannot deadlock.
    """
    return [
        Write(
            _CLAIM_KEY,
            {
                "source_id": source_id,
                "key": key,
                "delivery_id": delivery_id,
                "expires_at": keys[key],
                "now": now,
            },
            one=True,
        )
        for key in sorted(keys)
    ]


def attempt_write(delivery_id: str, at: datetime) -> Write:
    """The sender sent this delivery once more."""
    return Write(_COUNT_ATTEMPT, {"row_id": delivery_id, "at": at})


# ── folding floods ───────────────────────────────────────────────────────────────────────────────


def insert_delivery(session: Session, row: Mapping[str, Any]) -> None:
    session.execute(insert(Delivery), [dict(row)])


def insert_body(session: Session, delivery_id: str, compressed: bytes) -> None:
    session.execute(insert(DeliveryBody), [{"delivery_id": delivery_id, "body": compressed}])


def delete_deliveries(session: Session, before_id: str, most: int) -> int:
    """Delete up to `most` deliveries with smaller ids that no unfinished todo needs; how many."""
    unfinished = select(Todo.id).where(
        Todo.delivery_id == Delivery.id, Todo.state.in_(("pending", "claimed"))
    )
    old = (
        select(Delivery.id)
        .where(Delivery.id < before_id, ~unfinished.exists())
        .order_by(Delivery.id)
        .limit(most)
    )
    ids = list(session.scalars(old))
    session.execute(delete(Delivery).where(Delivery.id.in_(ids)))
    return len(ids)


def count_refused_since(session: Session, source_id: str | None, since_id: str, most: int) -> int:
    """How many rows of a source after the id `since_id` were not accepted, counted up to `most`."""
    rows = (
        select(Delivery.id)
        .where(
            Delivery.source_id.is_(None) if source_id is None else Delivery.source_id == source_id,
            Delivery.status != "accepted",
            Delivery.id > since_id,
        )
        .limit(most)
        .subquery()
    )
    return session.scalar(select(func.count()).select_from(rows)) or 0


def fold_delivery(session: Session, row: Mapping[str, Any]) -> None:
    """Write the row, or count one more into the one that has its `fold_key`."""
    table = table_of(Delivery)
    # both databases speak this form of it, so one of their dialects' constructs serves
    statement = postgresql.insert(table).values(dict(row))
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["fold_key"],
            index_where=table.c.fold_key.is_not(None),
            set_={
                "count": table.c.count + 1,
                "last_attempt_at": statement.excluded.last_attempt_at,
            },
        )
    )


# ── the pages and the API ────────────────────────────────────────────────────────────────────────


def delivery_in(
    session: Session, delivery_id: str, owner_ids: Collection[str] | None, *, with_unknown: bool
) -> Any:
    """(Delivery, source name, compressed body or None) within the scope, or None."""
    statement = (
        select(Delivery, Source.name, DeliveryBody.body)
        .outerjoin(Source, Source.id == Delivery.source_id)
        .outerjoin(DeliveryBody, DeliveryBody.delivery_id == Delivery.id)
        .where(Delivery.id == delivery_id)
    )
    return session.execute(_scoped(statement, owner_ids, with_unknown)).first()


def _scoped(statement: Any, owner_ids: Collection[str] | None, with_unknown: bool) -> Any:
    if owner_ids is None:
        return statement
    mine = in_scope(Source, owner_ids)
    return statement.where(or_(mine, Delivery.source_id.is_(None)) if with_unknown else mine)


def sources_in(session: Session, owner_ids: Collection[str] | None) -> list[Source]:
    statement = select(Source).where(in_scope(Source, owner_ids), Source.state != "revoked")
    return list(session.scalars(statement.order_by(Source.id)))


def sources_called(session: Session, ref: str, owner_ids: Collection[str] | None) -> list[Source]:
    """The sources with that id or name within the scope."""
    statement = select(Source).where(
        in_scope(Source, owner_ids),
        Source.state != "revoked",
        or_(Source.id == ref, Source.name == ref),
    )
    return list(session.scalars(statement))


def all_sealed(session: Session, *, lock: bool = False) -> tuple[list[Source], list[SourceSecret]]:
    """Every source, revoked ones too, and every secret; `lock` holds them until the commit."""
    sources, secrets = select(Source).order_by(Source.id), select(SourceSecret)
    if lock:
        sources, secrets = sources.with_for_update(), secrets.with_for_update()
    return list(session.scalars(sources)), list(session.scalars(secrets.order_by(SourceSecret.id)))


def secrets_of(session: Session, source_id: str) -> list[SourceSecret]:
    return list(
        session.scalars(
            select(SourceSecret)
            .where(SourceSecret.source_id == source_id)
            .order_by(SourceSecret.id.desc())
        )
    )


def routes_of(session: Session, source_ids: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Source id → its (endpoint name, queue) pairs."""
    rows = session.execute(
        select(SourceRoute.source_id, Endpoint.name, SourceRoute.queue)
        .join(Endpoint, Endpoint.id == SourceRoute.endpoint_id)
        .where(SourceRoute.source_id.in_(source_ids))
        .order_by(Endpoint.name, SourceRoute.queue)
    )
    found: dict[str, list[tuple[str, str]]] = {}
    for source_id, name, queue in rows:
        found.setdefault(source_id, []).append((name, queue))
    return found


def set_routes(session: Session, source_id: str, routes: Collection[tuple[str, str]]) -> None:
    """Replace a source's targets by these (endpoint id, queue) pairs."""
    session.execute(delete(SourceRoute).where(SourceRoute.source_id == source_id))
    for endpoint_id, queue in routes:
        session.add(SourceRoute(source_id=source_id, endpoint_id=endpoint_id, queue=queue))


def endpoints_of_owner(session: Session, owner_id: str, now: datetime) -> list[Endpoint]:
    """The live endpoints of one owner."""
    return list(
        session.scalars(
            select(Endpoint).where(
                in_scope(Endpoint, [owner_id]),
                Endpoint.revoked_at.is_(None),
                or_(Endpoint.expires_at.is_(None), Endpoint.expires_at > now),
            )
        )
    )


def expire_secrets(session: Session, source_id: str, at: datetime) -> None:
    """Let every current secret of a source run out at `at`."""
    session.execute(
        update(SourceSecret)
        .where(SourceSecret.source_id == source_id, SourceSecret.expires_at.is_(None))
        .values(expires_at=at)
    )
