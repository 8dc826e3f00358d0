"""The SQL of sources and deliveries.

The ack path's statements are built once, here, and run on the session's Core connection: the ORM
costs a third of the rate (docs/performance.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Select,
    Table,
    bindparam,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from switchboard.models import (
    Base,
    Delivery,
    DeliveryBody,
    DeliveryKey,
    Endpoint,
    Source,
    SourceRoute,
    SourceSecret,
)
from switchboard.models.base import in_scope


def _table(model: type[Base]) -> Table:
    table = model.__table__
    assert isinstance(table, Table)
    return table


@dataclass(frozen=True)
class FoundSource:
    """A source as the ack path needs it; `secrets` are (secret id, sealed)."""

    id: str
    kind: str
    name: str
    state: str
    letters: str
    host: str
    repo_globs: tuple[str, ...]
    owner_account_id: str | None
    owner_team_id: str | None
    secret_known_to_agent: bool
    secrets: tuple[tuple[str, str], ...]

    @property
    def owner_id(self) -> str:
        """The account or team that owns it."""
        return self.owner_account_id or self.owner_team_id or ""


@dataclass(frozen=True)
class Target:
    """Where a source's work goes: an endpoint that is alive, its owner, and the queue."""

    endpoint_id: str
    endpoint_slug: str
    queue: str
    owner_account_id: str | None
    owner_team_id: str | None


# ── the ack path ─────────────────────────────────────────────────────────────────────────────────

_FIND_SOURCE = (
    select(
        Source.id,
        Source.kind,
        Source.name,
        Source.state,
        Source.letters,
        Source.host,
        Source.repo_globs,
        Source.owner_account_id,
        Source.owner_team_id,
        Source.secret_known_to_agent,
        SourceSecret.id,
        SourceSecret.sealed,
    )
    .outerjoin(
        SourceSecret,
        (SourceSecret.source_id == Source.id)
        & or_(SourceSecret.expires_at.is_(None), SourceSecret.expires_at > bindparam("now")),
    )
    .where(Source.token_hash == bindparam("token_hash"), Source.state != "revoked")
)

_FIND_TARGETS = (
    select(
        Endpoint.id,
        Endpoint.slug,
        SourceRoute.queue,
        Endpoint.owner_account_id,
        Endpoint.owner_team_id,
    )
    .join(SourceRoute, SourceRoute.endpoint_id == Endpoint.id)
    .where(
        SourceRoute.source_id == bindparam("source_id"),
        Endpoint.revoked_at.is_(None),
        or_(Endpoint.expires_at.is_(None), Endpoint.expires_at > bindparam("now")),
    )
    .order_by(Endpoint.id, SourceRoute.queue)
)

_FIND_KEYS = (
    select(
        DeliveryKey.key,
        Delivery.id,
        Delivery.status,
        Delivery.http_status,
        Delivery.code,
        Delivery.reason,
        Delivery.body_sha256,
        Delivery.outcome,
        Delivery.last_attempt_at,
    )
    .join(Delivery, Delivery.id == DeliveryKey.delivery_id)
    .where(
        DeliveryKey.source_id == bindparam("source_id"),
        DeliveryKey.key.in_(bindparam("keys", expanding=True)),
        or_(DeliveryKey.expires_at.is_(None), DeliveryKey.expires_at > bindparam("now")),
    )
)

_INSERT_DELIVERY = insert(_table(Delivery))
_INSERT_BODY = insert(_table(DeliveryBody))


def _claim_statement(dialect_insert: Any) -> Any:
    """Claim a key that is free or expired; a held one is left alone and not counted."""
    statement = dialect_insert(_table(DeliveryKey))
    return statement.on_conflict_do_update(
        index_elements=["source_id", "key"],
        set_={
            "delivery_id": statement.excluded.delivery_id,
            "expires_at": statement.excluded.expires_at,
        },
        where=_table(DeliveryKey).c.expires_at <= bindparam("now"),
    ).execution_options(preserve_rowcount=True)


_CLAIM_KEYS = {
    "sqlite": _claim_statement(sqlite.insert),
    "postgresql": _claim_statement(postgresql.insert),
}

_COUNT_ATTEMPT = (
    update(_table(Delivery))
    .where(_table(Delivery).c.id == bindparam("row_id"))
    .values(attempt=_table(Delivery).c.attempt + 1, last_attempt_at=bindparam("at"))
)


def find_source(session: Session, token_hash: str, now: datetime) -> FoundSource | None:
    """The source of an ingest URL with the secrets good now."""
    rows = session.connection().execute(_FIND_SOURCE, {"token_hash": token_hash, "now": now}).all()
    if not rows:
        return None
    first = rows[0]
    secrets = tuple((row[10], row[11]) for row in rows if row[10] is not None)
    return FoundSource(*first[:6], tuple(first[6]), *first[7:10], secrets)


def find_targets(session: Session, source_id: str, now: datetime) -> list[Target]:
    """The live targets of a source, in a fixed order."""
    params = {"source_id": source_id, "now": now}
    return [Target(*row) for row in session.connection().execute(_FIND_TARGETS, params)]


def find_keys(session: Session, source_id: str, keys: Collection[str], now: datetime) -> list[Any]:
    """Rows (key, delivery id, status, http_status, code, reason, sha, outcome, last attempt)."""
    params = {"source_id": source_id, "keys": list(keys), "now": now}
    return list(session.connection().execute(_FIND_KEYS, params))


def insert_delivery(session: Session, values: Mapping[str, Any]) -> None:
    """Write the delivery's row."""
    session.connection().execute(_INSERT_DELIVERY, values)


def insert_body(session: Session, delivery_id: str, compressed: bytes) -> None:
    """Keep the raw body, already compressed."""
    session.connection().execute(_INSERT_BODY, {"delivery_id": delivery_id, "body": compressed})


def claim_keys(
    session: Session,
    source_id: str,
    delivery_id: str,
    keys: Mapping[str, datetime | None],
    now: datetime,
) -> bool:
    """Claim all keys for this delivery; False when another delivery holds one.

    Keys are claimed in one order everywhere, so two transactions cannot deadlock.
    """
    connection = session.connection()
    statement = _CLAIM_KEYS[connection.dialect.name]
    for key in sorted(keys):
        params = {
            "source_id": source_id,
            "key": key,
            "delivery_id": delivery_id,
            "expires_at": keys[key],
            "now": now,
        }
        if connection.execute(statement, params).rowcount != 1:
            return False
    return True


def count_attempt(session: Session, delivery_id: str, at: datetime) -> None:
    """The sender sent this delivery once more."""
    session.connection().execute(_COUNT_ATTEMPT, {"row_id": delivery_id, "at": at})


# ── folding floods ───────────────────────────────────────────────────────────────────────────────


def count_refused_since(session: Session, source_id: str | None, since_id: str, most: int) -> int:
    """How many refused rows a source has with an id after `since_id`, counted up to `most`."""
    rows = (
        select(Delivery.id)
        .where(
            Delivery.source_id.is_(None) if source_id is None else Delivery.source_id == source_id,
            Delivery.status == "refused",
            Delivery.id > since_id,
        )
        .limit(most)
        .subquery()
    )
    return session.scalar(select(func.count()).select_from(rows)) or 0


def add_to_fold(session: Session, fold_key: str, at: datetime) -> bool:
    """Count one more into the folded row of `fold_key`; False when there is none yet."""
    result = session.execute(
        update(_table(Delivery))
        .where(_table(Delivery).c.fold_key == fold_key)
        .values(count=_table(Delivery).c.count + 1, last_attempt_at=at)
    )
    return bool(result.rowcount)  # type: ignore[attr-defined]


# ── the pages and the API ────────────────────────────────────────────────────────────────────────


def deliveries(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    with_unknown: bool,
    filters: Mapping[str, str],
    after: str | None,
    limit: int,
) -> Sequence[Any]:
    """Rows (Delivery, source name), newest first, before the id `after`."""
    statement = select(Delivery, Source.name).outerjoin(Source, Source.id == Delivery.source_id)
    statement = _scoped(statement, owner_ids, with_unknown)
    columns = {
        "status": Delivery.status,
        "code": Delivery.code,
        "kind": Delivery.kind,
        "source": Source.name,
        "event": Delivery.event_type,
    }
    for name, value in filters.items():
        statement = statement.where(columns[name] == value)
    if after:
        statement = statement.where(Delivery.id < after)
    return session.execute(statement.order_by(Delivery.id.desc()).limit(limit)).all()


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


def _scoped(
    statement: Select[Any], owner_ids: Collection[str] | None, with_unknown: bool
) -> Select[Any]:
    if owner_ids is None:
        return statement
    mine = in_scope(Source, owner_ids)
    return statement.where(or_(mine, Delivery.source_id.is_(None)) if with_unknown else mine)


def sources_in(session: Session, owner_ids: Collection[str] | None) -> list[Source]:
    statement = select(Source).where(in_scope(Source, owner_ids), Source.state != "revoked")
    return list(session.scalars(statement.order_by(Source.id)))


def source_in(session: Session, ref: str, owner_ids: Collection[str] | None) -> Source | None:
    """One source by id or name within the scope."""
    return session.scalars(
        select(Source).where(
            in_scope(Source, owner_ids),
            Source.state != "revoked",
            or_(Source.id == ref, Source.name == ref),
        )
    ).first()


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
