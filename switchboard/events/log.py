"""Appending to the event log and reading it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from switchboard.errors import Invalid
from switchboard.events import store
from switchboard.events.catalogue import API_REQUEST, TYPES
from switchboard.lib import clock, ids
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Event


@dataclass(frozen=True)
class Actor:
    """Who did it: a name to show, and the id of the account or endpoint, if it was one."""

    name: str
    id: str | None


@dataclass(frozen=True)
class Happened:
    """What there is to write. `data` holds names and values a reader may see; never a secret.

    `ref` is the work item it is about, where it is about one.
    """

    type: str
    owner_id: str | None = None
    about_id: str | None = None
    about: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    ref: str | None = None


@dataclass(frozen=True)
class Page:
    """Events newest first, each with its `owner_id`, and the `after` of the next page."""

    events: list[dict[str, Any]]
    next: str | None


def append(
    session: Session, actor: Actor, happened: Happened, *, at: datetime | None = None
) -> str:
    """Write one line in the caller's transaction: it stands if and only if what it says does. Its id.

    `at` is when it happened, now unless said otherwise.
    """
    if happened.type not in TYPES:
        raise ValueError(f"no such event type: {happened.type}")
    fields = {**vars(happened), "data": dict(happened.data)}
    event_id = ids.new("event")
    session.add(
        Event(id=event_id, at=at or clock.now(), actor=actor.name, actor_id=actor.id, **fields)
    )
    return event_id


def page(
    lib: Plumbing,
    visible: Collection[str] | None,
    *,
    type: str | None = None,
    about: str | None = None,
    ref: str | None = None,
    since: datetime | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The events of the owners that are `visible` (None: everybody's), newest first.

    Only of that type, about the thing with that id or the work item of that ref, since that time; calls
    of the API only if that type is theirs, or they would bury the rest. Raises Invalid for a type that
    is not in the catalogue.
    """
    if type is not None and type not in TYPES:
        raise Invalid("There is no such event type; see docs/events.md.", field="type")
    size = max(1, min(limit, MAX_LIMIT))
    with lib.db.read() as session:
        rows = store.page(
            session,
            visible,
            type=type,
            not_of_type=API_REQUEST,
            about_id=about,
            ref=ref,
            since=since,
            after=after,
            limit=size + 1,
        )
    shown = [_describe(row) for row in rows[:size]]
    return Page(shown, shown[-1]["id"] if len(rows) > size else None)


def _describe(row: Event) -> dict[str, Any]:
    return {
        "id": row.id,
        "type": row.type,
        "at": clock.iso(row.at),
        "owner_id": row.owner_id,
        "actor": row.actor,
        "actor_id": row.actor_id,
        "about_id": row.about_id,
        "about": row.about,
        "ref": row.ref,
        "data": row.data,
    }
