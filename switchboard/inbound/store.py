"""The SQL of managing sources."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, true, update
from sqlalchemy.orm import Session

from switchboard.models import Account, Endpoint, Source, SourceRoute, SourceSecret
from switchboard.models.base import in_scope
from switchboard.models.endpoints import live_endpoint


def sources_in(
    session: Session, owner_ids: Collection[str] | None, *, made_by: str | None = None
) -> list[Source]:
    """Those within the scope, and `made_by` the agent of that endpoint (None: by anybody)."""
    statement = select(Source).where(_within(owner_ids, made_by)).order_by(Source.id)
    return list(session.scalars(statement))


def _within(owner_ids: Collection[str] | None, made_by: str | None) -> ColumnElement[bool]:
    by_them = true() if made_by is None else Source.made_by_endpoint_id == made_by
    return and_(in_scope(Source, owner_ids), by_them, Source.state != "revoked")


def source_of_transport(session: Session, transport: str) -> Source | None:
    """The built-in source by which mail of that way comes in."""
    return session.scalar(select(Source).where(Source.transport == transport))


def first_account(session: Session) -> str | None:
    """The id of whoever was there first and was not shut out, an admin before others."""
    known = select(Account.id).where(Account.disabled_at.is_(None))
    return session.scalar(known.order_by(Account.is_admin.desc(), Account.id).limit(1))


def count_made_by(session: Session, endpoint_id: str) -> int:
    """How many sources that agents of this endpoint made are there.

    Holds the endpoint until the transaction ends, so that two who count see each other's.
    """
    session.execute(
        select(Endpoint.id).where(Endpoint.id == endpoint_id).with_for_update(key_share=True)
    )
    statement = select(func.count()).select_from(Source).where(_within(None, endpoint_id))
    return session.scalar(statement) or 0


def sources_called(
    session: Session,
    ref: str,
    owner_ids: Collection[str] | None,
    *,
    made_by: str | None = None,
    locked: bool = False,
) -> list[Source]:
    """The sources with that id or name within the scope, and `made_by` that endpoint's agent.

    `locked`, in a transaction that changes them: held until it ends, so that changes wait for each
    other, and neither readers nor deliveries for any of them.
    """
    statement = select(Source).where(
        _within(owner_ids, made_by), or_(Source.id == ref, Source.name == ref)
    )
    if locked:
        statement = statement.with_for_update(key_share=True)
    return list(session.scalars(statement))


def all_sealed(session: Session, *, lock: bool = False) -> tuple[list[Source], list[SourceSecret]]:
    """Every source, revoked ones too, and every secret; `lock` holds them until the commit."""
    sources, secrets = select(Source).order_by(Source.id), select(SourceSecret)
    if lock:
        sources, secrets = sources.with_for_update(), secrets.with_for_update()
    return list(session.scalars(sources)), list(session.scalars(secrets.order_by(SourceSecret.id)))


def fingerprints_of(session: Session, source_ids: Collection[str]) -> dict[str, str]:
    """Source id → fingerprint of the secret in use; one that is running out is not meant."""
    rows = session.execute(
        select(SourceSecret.source_id, SourceSecret.fingerprint)
        .where(SourceSecret.source_id.in_(source_ids), SourceSecret.expires_at.is_(None))
        .order_by(SourceSecret.id)
    )
    return {source_id: fingerprint for source_id, fingerprint in rows}


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


def current_secret(session: Session, source_id: str) -> SourceSecret | None:
    """The signing secret in use; one that is running out is not meant."""
    return session.scalars(
        select(SourceSecret)
        .where(SourceSecret.source_id == source_id, SourceSecret.expires_at.is_(None))
        .order_by(SourceSecret.id.desc())
        .limit(1)
    ).first()


def queues_routed(session: Session, source_id: str) -> dict[str, list[str]]:
    """The endpoints that a source gives work to: name → the queues granted to it."""
    rows = session.execute(
        select(Endpoint.name, Endpoint.queues)
        .join(SourceRoute, SourceRoute.endpoint_id == Endpoint.id)
        .where(SourceRoute.source_id == source_id)
    )
    return {name: queues for name, queues in rows}


def set_routes(session: Session, source_id: str, routes: Collection[tuple[str, str]]) -> None:
    """Replace a source's targets by these (endpoint id, queue) pairs."""
    session.execute(delete(SourceRoute).where(SourceRoute.source_id == source_id))
    for endpoint_id, queue in routes:
        session.add(SourceRoute(source_id=source_id, endpoint_id=endpoint_id, queue=queue))


def endpoints_of_owner(session: Session, owner_id: str, now: datetime) -> list[Endpoint]:
    """The live endpoints of one owner."""
    return list(
        session.scalars(select(Endpoint).where(in_scope(Endpoint, [owner_id]), live_endpoint(now)))
    )


def expire_secrets(session: Session, source_id: str, now: datetime, at: datetime) -> None:
    """Let the current secret of a source run out at `at`; one from before it ends now."""
    session.execute(
        update(SourceSecret)
        .where(SourceSecret.source_id == source_id, SourceSecret.expires_at > now)
        .values(expires_at=now)
    )
    session.execute(
        update(SourceSecret)
        .where(SourceSecret.source_id == source_id, SourceSecret.expires_at.is_(None))
        .values(expires_at=at)
    )
