"""The SQL of hooks, and of what a sweep does to their calls."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from switchboard.models import Endpoint, EndpointHook, HookCall
from switchboard.models.base import in_scope
from switchboard.models.endpoints import live_endpoint


def hook_of(session: Session, endpoint_id: str, *, locked: bool = False) -> EndpointHook | None:
    """The endpoint's hook; `locked` holds it until the transaction ends."""
    statement = select(EndpointHook).where(EndpointHook.endpoint_id == endpoint_id)
    return session.scalar(statement.with_for_update() if locked else statement)


def endpoints_with_hooks(
    session: Session, owner_ids: Collection[str] | None
) -> list[tuple[Endpoint, EndpointHook | None]]:
    """The owners' endpoints that nobody revoked, each with its hook."""
    rows = session.execute(
        select(Endpoint, EndpointHook)
        .outerjoin(EndpointHook, EndpointHook.endpoint_id == Endpoint.id)
        .where(in_scope(Endpoint, owner_ids), Endpoint.revoked_at.is_(None))
        .order_by(Endpoint.id)
    )
    return [(endpoint, hook) for endpoint, hook in rows]


def all_sealed(session: Session, *, lock: bool = False) -> list[tuple[EndpointHook, bool]]:
    """Every hook, with whether its endpoint is revoked; `lock` holds them against a rotation meanwhile."""
    statement = (
        select(EndpointHook, Endpoint.revoked_at)
        .join(Endpoint, Endpoint.id == EndpointHook.endpoint_id)
        .order_by(EndpointHook.endpoint_id)
    )
    rows = session.execute(statement.with_for_update(of=EndpointHook) if lock else statement)
    return [(hook, revoked_at is not None) for hook, revoked_at in rows]


def hooked(session: Session, endpoint_ids: Collection[str]) -> set[str]:
    """Which of these endpoints have a hook."""
    statement = select(EndpointHook.endpoint_id).where(EndpointHook.endpoint_id.in_(endpoint_ids))
    return set(session.scalars(statement))


def failing(session: Session, least: int, now: datetime) -> list[tuple[Endpoint, EndpointHook]]:
    """The live endpoints whose hook failed at least so often in a row, each with it."""
    rows = session.execute(
        select(Endpoint, EndpointHook)
        .join(EndpointHook, EndpointHook.endpoint_id == Endpoint.id)
        .where(EndpointHook.failures >= least, live_endpoint(now))
        .order_by(Endpoint.id)
    )
    return [(endpoint, hook) for endpoint, hook in rows]


def forget_pending(session: Session, endpoint_id: str) -> None:
    """Take away the calls of an endpoint that were not made."""
    session.execute(
        delete(HookCall).where(HookCall.endpoint_id == endpoint_id, HookCall.state == "pending")
    )


def lose_last(session: Session, claimed_before: datetime, attempts: int, now: datetime) -> int:
    """Claimed before that, never finished, and without an attempt left."""
    return _rows(
        session,
        update(HookCall)
        .where(
            HookCall.state == "pending",
            HookCall.claimed_at < claimed_before,
            HookCall.attempts >= attempts,
        )
        .values(state="failed", error_class="network", error_code="worker_lost", finished_at=now),
    )


def take_back(session: Session, claimed_before: datetime, now: datetime) -> int:
    """Claimed before that and never finished: it may be claimed once more."""
    return _rows(
        session,
        update(HookCall)
        .where(HookCall.state == "pending", HookCall.claimed_at < claimed_before)
        .values(claimed_at=None, next_at=now, error_class="network", error_code="worker_lost"),
    )


def expire(session: Session, created_before: datetime, now: datetime) -> int:
    """Made before that and not under way: whoever polls has long seen the todo."""
    return _rows(
        session,
        update(HookCall)
        .where(
            HookCall.state == "pending",
            HookCall.claimed_at.is_(None),
            HookCall.created_at < created_before,
        )
        .values(state="failed", error_class="network", error_code="expired", finished_at=now),
    )


def _rows(session: Session, statement: Any) -> int:
    return int(session.connection().execute(statement).rowcount)


def due(session: Session, now: datetime) -> list[str]:
    """A due and unclaimed call of each hook that has one, the oldest."""
    statement = (
        select(func.min(HookCall.id))
        .where(HookCall.state == "pending", HookCall.claimed_at.is_(None), HookCall.next_at <= now)
        .group_by(HookCall.endpoint_id)
    )
    return list(session.scalars(statement))


def finished_before(session: Session, before: str, most: int) -> list[str]:
    """Up to `most` finished calls whose ids are older than `before`."""
    statement = select(HookCall.id).where(HookCall.id < before, HookCall.state != "pending")
    return list(session.scalars(statement.order_by(HookCall.id).limit(most)))


def delete_these(session: Session, call_ids: Collection[str]) -> None:
    """Delete the calls of those ids."""
    session.execute(delete(HookCall).where(HookCall.id.in_(call_ids)))
