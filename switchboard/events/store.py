"""The SQL of the event log."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from switchboard.lib import ids
from switchboard.models import Event


def page(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    type: str | None,
    about_id: str | None,
    ref: str | None,
    since: datetime | None,
    after: str | None,
    limit: int,
) -> list[Event]:
    """Events newest first, before the id `after`; ids are sorted by time."""
    statement = select(Event)
    if owner_ids is not None:
        statement = statement.where(Event.owner_id.in_(owner_ids))
    if type is not None:
        statement = statement.where(Event.type == type)
    if about_id is not None:
        statement = statement.where(Event.about_id == about_id)
    if ref is not None:
        statement = statement.where(Event.ref == ref)
    if since is not None:
        statement = statement.where(Event.id >= ids.first_at("event", since))
    if after is not None:
        statement = statement.where(Event.id < after)
    return list(session.scalars(statement.order_by(Event.id.desc()).limit(limit)))
