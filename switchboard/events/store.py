"""The SQL of the event log."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, literal_column, select
from sqlalchemy.orm import Session

from switchboard.lib import ids
from switchboard.lib.express import Write, insert_into
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Event
from switchboard.models.base import table_of

_INSERT = insert_into(table_of(Event))
_NOTHING = dict.fromkeys(table_of(Event).columns.keys())


def page(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    type: str | None,
    not_of_type: str,
    about_id: str | None,
    ref: str | None,
    since: datetime | None,
    after: str | None,
    limit: int,
) -> list[Event]:
    """Events of that type, else of any but `not_of_type`; newest first, before the id `after`."""
    statement = select(Event)
    if owner_ids is not None:
        statement = statement.where(Event.owner_id.in_(owner_ids))
    if type is not None:
        statement = statement.where(Event.type == type)
    else:
        # written out, as the indexes of all but these are partial ones
        statement = statement.where(Event.type != literal_column(f"'{not_of_type}'"))
    if about_id is not None:
        statement = statement.where(Event.about_id == about_id)
    if ref is not None:
        statement = statement.where(Event.ref == ref)
    if since is not None:
        statement = statement.where(Event.id >= ids.first_at("event", since))
    if after is not None:
        statement = statement.where(Event.id < after)
    return list(session.scalars(statement.order_by(Event.id.desc()).limit(limit)))


def add_lines(lib: Plumbing, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write lines in a transaction of their own, on the short way. Raises Unavailable."""
    lib.express.commit([Write(_INSERT, {**_NOTHING, **row}) for row in rows])


def of_type_before(session: Session, type: str, before_id: str, most: int) -> list[str]:
    """Ids of a type that are smaller than an id, the oldest first, so many at most."""
    old = select(Event.id).where(Event.type == type, Event.id < before_id)
    return list(session.scalars(old.order_by(Event.id).limit(most)))


def delete_these(session: Session, event_ids: Collection[str]) -> None:
    """Delete lines of the log."""
    session.execute(delete(Event).where(Event.id.in_(event_ids)))
