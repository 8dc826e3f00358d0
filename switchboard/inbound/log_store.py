"""The SQL of the delivery log: its newest rows, quick among millions; refusals written; old ones gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    delete,
    func,
    insert,
    null,
    or_,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from switchboard.inbound.ack_store import RECEIVING
from switchboard.lib import ids
from switchboard.models import Delivery, DeliveryBody, Source, Todo
from switchboard.models.base import in_scope, table_of

UNKNOWN = ""  # stands for the source of what called an address nobody has
MAX_BRANCHES = 50
ACCEPTED_CODES = ("accepted", "self_reply")
# word for word as the short index of refusals and failures has it, or no planner takes it
NOT_ACCEPTED = text("deliveries.status <> 'accepted'")


def newest(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    with_unknown: bool,
    filters: Mapping[str, str],
    since: datetime | None = None,
    after: str | None,
    limit: int,
) -> Sequence[Any]:
    """Rows (Delivery, source name), newest first, before the id `after`.

    The sources are settled first, so that a quiet one among a million rows is found by its index.
    """
    source, kind = filters.get("source"), filters.get("kind")
    names = _sources_meant(session, owner_ids, source, kind)
    unknown = with_unknown or owner_ids is None
    places: list[str] = list(names)
    if unknown and source is None and kind in (None, "unknown"):
        places.append(UNKNOWN)
    conditions = _conditions(filters, since, after)
    if _only_refusals(filters):
        chosen = _of_refusals(filters.get("status"), places, conditions, limit)
    else:
        chosen = _of_each(places, conditions, limit)
    rows = session.scalars(
        select(Delivery).where(Delivery.id.in_(chosen)).order_by(Delivery.id.desc()).limit(limit)
    )
    return [(row, names.get(row.source_id or UNKNOWN)) for row in rows]


def _sources_meant(
    session: Session, owner_ids: Collection[str] | None, ref: str | None, kind: str | None
) -> dict[str, str]:
    """Source id → name, of those in scope that a filter means; revoked ones have a log too.

    A name may mean several: it is unique with one owner, and free again once revoked.
    """
    statement = select(Source.id, Source.name).where(in_scope(Source, owner_ids))
    if ref is not None:
        column = Source.id if ids.is_id(ref, "source") else Source.name
        statement = statement.where(column == ref)
    if kind is not None:
        statement = statement.where(Source.kind == kind)
    return {source_id: found for source_id, found in session.execute(statement)}


def _conditions(
    filters: Mapping[str, str], since: datetime | None, after: str | None
) -> list[ColumnElement[bool]]:
    columns = {"status": Delivery.status, "code": Delivery.code, "event": Delivery.event_type}
    conditions = [columns[name] == filters[name] for name in columns if name in filters]
    if since:
        # ids are made when a body begins to come in: they narrow the search, the time decides
        first = ids.first_at("delivery", since - RECEIVING)
        conditions += [Delivery.id >= first, Delivery.received_at >= since]
    if after:
        conditions.append(Delivery.id < after)
    return conditions


def _only_refusals(filters: Mapping[str, str]) -> bool:
    status, code = filters.get("status"), filters.get("code")
    if status is not None:
        return status != "accepted"
    return code is not None and code not in ACCEPTED_CODES


def _of_refusals(status: str | None, places: list[str], conditions: list[Any], limit: int) -> Any:
    """Ids through the short index of what was not accepted, each status read from its end."""
    # wrapped, so that no planner leaves that index for the sources' own
    within = func.coalesce(Delivery.source_id, UNKNOWN).in_(places)
    return _newest_of(
        [
            (NOT_ACCEPTED, Delivery.status == each, within, *conditions)
            for each in ((status,) if status else ("refused", "failed"))
        ],
        limit,
    )


def _of_each(places: list[str], conditions: list[Any], limit: int) -> Any:
    """Ids of each source's newest rows, each read from the end of the source's own index."""
    if len(places) > MAX_BRANCHES:
        within = func.coalesce(Delivery.source_id, UNKNOWN).in_(places)
        return _newest_of([(within, *conditions)], limit)
    return _newest_of(
        [
            (
                Delivery.source_id.is_(None) if each == UNKNOWN else Delivery.source_id == each,
                *conditions,
            )
            for each in places
        ],
        limit,
    )


def _newest_of(branches: list[tuple[Any, ...]], limit: int) -> Any:
    """The newest ids that meet the conditions of each branch."""
    found = [
        select(Delivery.id).where(*conditions).order_by(Delivery.id.desc()).limit(limit).subquery()
        for conditions in branches
    ]
    return union_all(*(select(each.c.id) for each in found)) if found else select(null())


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


# ── writing it: what is refused, and what is old ─────────────────────────────────────────────────


def insert_delivery(session: Session, row: Mapping[str, Any]) -> None:
    session.execute(insert(Delivery), [dict(row)])


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
    found = list(session.scalars(old))
    session.execute(delete(Delivery).where(Delivery.id.in_(found)))
    return len(found)


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
