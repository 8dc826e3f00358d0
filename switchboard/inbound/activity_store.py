"""The SQL of a source's activity: requests counted by the hour."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import case, delete, func, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from switchboard.inbound.log_store import UNKNOWN
from switchboard.lib import ids
from switchboard.models import Delivery, DeliveryHour
from switchboard.models.base import table_of

STATUSES = ("accepted", "refused", "failed")


def span(session: Session) -> tuple[datetime | None, datetime | None]:
    """The oldest and the newest hour that were counted and are kept."""
    hours = select(func.min(DeliveryHour.hour), func.max(DeliveryHour.hour))
    oldest, newest = session.execute(hours).one()
    return oldest, newest


def hour_counts(session: Session, start: datetime, end: datetime) -> list[dict[str, Any]]:
    """Rows to keep: the requests taken up from `start` to `end`.

    What called an address nobody has is a row too, or an hour of nothing else would count as new.
    """
    return [
        {"source_id": source_id, "hour": start, **dict(zip(STATUSES, counts, strict=True))}
        for source_id, *counts in session.execute(_counts(_between(start, end).subquery()))
    ]


def keep(session: Session, rows: list[dict[str, Any]]) -> None:
    """Write the counts of hours, over those that another process wrote."""
    if not rows:
        return
    # both databases speak this form of it, so one of their dialects' constructs serves
    statement = postgresql.insert(table_of(DeliveryHour))
    session.execute(
        statement.on_conflict_do_update(
            index_elements=["source_id", "hour"],
            set_={name: statement.excluded[name] for name in STATUSES},
        ),
        rows,
    )


def counted(session: Session, source_ids: Collection[str], since: datetime) -> list[Any]:
    """(source id, hour, accepted, refused, failed) of the hours from `since` on."""
    columns = (getattr(DeliveryHour, name) for name in STATUSES)
    return list(
        session.execute(
            select(DeliveryHour.source_id, DeliveryHour.hour, *columns).where(
                DeliveryHour.source_id.in_(source_ids), DeliveryHour.hour >= since
            )
        )
    )


def newest(session: Session, start: datetime, end: datetime, most: int) -> list[Any]:
    """(source id, accepted, refused, failed) of an hour, from its newest `most` rows."""
    rows = _between(start, end).order_by(Delivery.id.desc()).limit(most)
    return list(session.execute(_counts(rows.subquery())))


def forget(session: Session, before: datetime) -> None:
    """Delete the counts of hours before that."""
    session.execute(delete(DeliveryHour).where(DeliveryHour.hour < before))


def _between(start: datetime, end: datetime) -> Any:
    source_id = func.coalesce(Delivery.source_id, UNKNOWN).label("source_id")
    return select(source_id, Delivery.status, Delivery.count).where(
        Delivery.id >= ids.first_at("delivery", start), Delivery.id < ids.first_at("delivery", end)
    )


def _counts(rows: Any) -> Any:
    sums = [func.sum(case((rows.c.status == name, rows.c.count), else_=0)) for name in STATUSES]
    return select(rows.c.source_id, *sums).group_by(rows.c.source_id)
