"""The SQL of the delivery log: its newest rows, quick among millions; old ones gone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    delete,
    func,
    null,
    or_,
    select,
    text,
    union_all,
)
from sqlalchemy.orm import Session

from switchboard.inbound.ack_store import RECEIVING
from switchboard.lib import ids
from switchboard.models import Delivery, DeliveryBody, Source, Todo
from switchboard.models.base import in_scope

TEXT_WINDOW = 10_000  # rows that one search for a text looks through at most
UNKNOWN = ""  # stands for the source of what called an address nobody has
MAX_BRANCHES = 50
_Branch = Select[Any]  # of ids, newest first
ACCEPTED_CODES = ("accepted", "self_reply", "rule")
# word for word as the short index of refusals and failures has it, or no planner takes it
NOT_ACCEPTED = text("deliveries.status <> 'accepted'")


@dataclass(frozen=True)
class Wanted:
    """What of the log is wanted; `filters` by name, `text` anywhere in a row's own words."""

    filters: Mapping[str, str]
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def newest(
    session: Session,
    owner_ids: Collection[str] | None,
    *,
    with_unknown: bool,
    wanted: Wanted,
    after: str | None,
    limit: int,
) -> tuple[list[Any], str | None]:
    """Rows (Delivery, source name), newest first, before the id `after`; and how far a text was sought.

    The sources are settled first, so that a quiet one among a million rows is found by its index. A
    text is sought in TEXT_WINDOW rows at most; where there are more, the second value is the id of the
    last one looked at (else None).
    """
    source, kind = wanted.filters.get("source"), wanted.filters.get("kind")
    names = _sources_meant(session, owner_ids, source, kind)
    unknown = with_unknown or owner_ids is None
    nobody = [UNKNOWN] if unknown and source is None and kind in (None, "unknown") else []
    conditions = _conditions(wanted, after)
    branches = _branches(wanted.filters, [*names, *nobody])
    looked_at: str | None = None
    if wanted.text:
        looked_at = _furthest(session, branches, conditions, wanted, after)
        conditions.append(_says(wanted.text))
        if looked_at is not None:
            conditions.append(Delivery.id >= looked_at)
    chosen = _newest_of(branches, conditions, limit)
    statement = select(Delivery).where(Delivery.id.in_(chosen))
    rows = session.scalars(statement.order_by(Delivery.id.desc()).limit(limit))
    return [(row, names.get(row.source_id or UNKNOWN)) for row in rows], looked_at


def _says(words: str) -> ColumnElement[bool]:
    columns = (Delivery.subject, Delivery.reason, Delivery.sender_id, Delivery.event_type)
    return or_(
        *(column.icontains(words, autoescape=True) for column in columns), Delivery.id == words
    )


def _furthest(
    session: Session,
    branches: list[_Branch],
    conditions: list[Any],
    wanted: Wanted,
    after: str | None,
) -> str | None:
    """The id down to which a text is sought; None: there are so few rows that all are looked at.

    It is the TEXT_WINDOW-th of all that there are, or where the first branch has had its equal share,
    whichever is further: a busy source is not cut short by quiet ones, nor a quiet one by others'.
    """
    whole = select(Delivery.id).where(*_bounds(wanted, after)).order_by(Delivery.id.desc())
    of_all = session.scalar(whole.offset(TEXT_WINDOW - 1).limit(1))
    if of_all is None or not branches:
        return None
    share = max(1, TEXT_WINDOW // len(branches)) - 1
    ends = [each.where(*conditions).offset(share).limit(1).subquery() for each in branches]
    first = union_all(*(select(each.c.id) for each in ends)).subquery()
    of_shares: str | None = session.scalar(select(func.max(first.c.id)))
    return None if of_shares is None else min(of_all, of_shares)


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


def _conditions(wanted: Wanted, after: str | None) -> list[ColumnElement[bool]]:
    filters = wanted.filters
    columns = {"status": Delivery.status, "code": Delivery.code, "event": Delivery.event_type}
    conditions = [columns[name] == filters[name] for name in columns if name in filters]
    if wanted.since:
        conditions.append(Delivery.received_at >= wanted.since)
    if wanted.until:
        conditions.append(Delivery.received_at < wanted.until)
    return conditions + _bounds(wanted, after)


def _bounds(wanted: Wanted, after: str | None) -> list[ColumnElement[bool]]:
    """Where ids lie: made when a body begins to come in, they narrow a time that itself decides."""
    bounds: list[ColumnElement[bool]] = []
    if wanted.since:
        bounds.append(Delivery.id >= ids.first_at("delivery", wanted.since - RECEIVING))
    if wanted.until:
        bounds.append(Delivery.id < ids.first_at("delivery", wanted.until))
    if after:
        bounds.append(Delivery.id < after)
    return bounds


def _only_refusals(filters: Mapping[str, str]) -> bool:
    status, code = filters.get("status"), filters.get("code")
    if status is not None:
        return status != "accepted"
    return code is not None and code not in ACCEPTED_CODES


def _branches(filters: Mapping[str, str], places: list[str]) -> list[_Branch]:
    """How the log is read: each source, and each status of one, from the end of an index of its own.

    Many sources are read together, from the end of all.
    """
    statuses: tuple[str | None, ...] = (None,)
    if _only_refusals(filters):
        status = filters.get("status")
        statuses = (status,) if status else ("refused", "failed")
    if len(places) > MAX_BRANCHES:
        # wrapped, so that no planner leaves the end of all for the sources' own indexes
        any_place = func.coalesce(Delivery.source_id, UNKNOWN).in_(places)
        return [_branch([any_place], [], status) for status in statuses]
    return [
        # ordered by it too, or Postgres sees no order in an index whose first column is null
        _branch([_at(place)], [Delivery.source_id.desc()], status)
        for place in places
        for status in statuses
    ]


def _at(place: str) -> ColumnElement[bool]:
    return Delivery.source_id.is_(None) if place == UNKNOWN else Delivery.source_id == place


def _branch(conditions: list[Any], order: list[Any], status: str | None) -> _Branch:
    if status is not None:
        conditions = [NOT_ACCEPTED, Delivery.status == status, *conditions]
        order = [*order, Delivery.status.desc()]
    return select(Delivery.id).where(*conditions).order_by(*order, Delivery.id.desc())


def _newest_of(branches: list[_Branch], conditions: list[Any], limit: int) -> Any:
    """The newest ids of each branch that meet the conditions."""
    found = [each.where(*conditions).limit(limit).subquery() for each in branches]
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


def newest_kept(session: Session, source_id: str, limit: int) -> list[str]:
    """Ids of a source's newest accepted deliveries with a body, our own echoes left out."""
    kept = (
        select(Delivery.id)
        .join(DeliveryBody, DeliveryBody.delivery_id == Delivery.id)
        .where(
            Delivery.source_id == source_id,
            Delivery.status == "accepted",
            Delivery.code != "self_reply",
        )
    )
    return list(session.scalars(kept.order_by(Delivery.id.desc()).limit(limit)))


def newest_with_body(
    session: Session,
    body_sha256: str,
    since: datetime,
    source_id: str,
    owner_ids: Collection[str] | None,
    *,
    with_unknown: bool,
) -> list[Any]:
    """(Delivery, source name) of a source, or of no known one, with that body, newest first; up to 20."""
    statement = (
        select(Delivery, Source.name)
        .outerjoin(Source, Source.id == Delivery.source_id)
        .where(
            Delivery.id >= ids.first_at("delivery", since),
            Delivery.body_sha256 == body_sha256,
            or_(Delivery.source_id == source_id, Delivery.source_id.is_(None)),
        )
    )
    scoped = _scoped(statement, owner_ids, with_unknown)
    return list(session.execute(scoped.order_by(Delivery.id.desc()).limit(20)))


def _scoped(statement: Any, owner_ids: Collection[str] | None, with_unknown: bool) -> Any:
    if owner_ids is None:
        return statement
    mine = in_scope(Source, owner_ids)
    return statement.where(or_(mine, Delivery.source_id.is_(None)) if with_unknown else mine)


# ── letting old ones go ──────────────────────────────────────────────────────────────────────────


def delete_deliveries(
    session: Session, after: str, before: str, most: int
) -> tuple[int, str | None]:
    """Of the next `most` deliveries between two ids, delete those that no unfinished todo needs.

    Returns how many went, and the last id looked at: where to go on. None: that was all.
    """
    next_ids = select(Delivery.id).where(Delivery.id > after, Delivery.id < before)
    found = list(session.scalars(next_ids.order_by(Delivery.id).limit(most)))
    unfinished = select(Todo.delivery_id).where(
        Todo.delivery_id.in_(found), Todo.state.in_(("pending", "claimed"))
    )
    old = set(found) - set(session.scalars(unfinished))
    session.execute(delete(Delivery).where(Delivery.id.in_(old)))
    return len(old), found[-1] if len(found) == most else None
