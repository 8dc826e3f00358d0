"""Raising, clearing and reading faults."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import owners
from switchboard.access.principals import Operator
from switchboard.errors import Invalid
from switchboard.faults import store
from switchboard.lib import clock, ids
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Fault
from switchboard.outbox import tell

STATES = ("standing", "cleared")
TELL_AT_ONCE = 100


@dataclass(frozen=True)
class Condition:
    """What is wrong: a stable code, the thing it is about, its owner, and a sentence with the next step."""

    code: str
    about_id: str
    about: str
    detail: str
    owner_account_id: str | None
    owner_team_id: str | None


@dataclass(frozen=True)
class Page:
    """Faults, newest first, and the `after` of the next page (None: there is none)."""

    faults: list[dict[str, Any]]
    next: str | None


def raise_in(session: Session, condition: Condition) -> list[tell.Due]:
    """Raise the fault unless it stands already, in the caller's transaction.

    Who is told of it is returned: `outbox.tell.ring` for it after the commit.
    """
    now = clock.now()
    row = {**vars(condition), "id": ids.new("fault"), "raised_at": now, "told_at": now}
    if not store.insert_unless_standing(session, row):
        return []
    return tell.tell(session, _news(condition))


def tell_untold(lib: Plumbing) -> None:
    """Tell of the faults that were raised on the short way, where nobody is told, each of them once."""
    with lib.db.read() as session:
        untold = store.untold(session, TELL_AT_ONCE)
    if not untold:
        return
    with lib.db.write() as session:
        faults = store.mark_told(session, untold, clock.now())
        due = [each for fault in faults for each in tell.tell(session, _news(fault))]
    tell.ring(lib, due)


def _news(fault: Condition | Fault) -> tell.News:
    return tell.News(
        event="fault",
        owner_id=fault.owner_account_id or fault.owner_team_id or "",
        about_id=fault.about_id,
        title=f"{fault.about}: {fault.code.replace('_', ' ')}",
        text=fault.detail,
        path="/",
    )


def clear_in(session: Session, code: str, about_id: str, by: Operator | None = None) -> None:
    """Clear the fault if it stands, in the caller's transaction. `by` is the human who did, if one did."""
    store.clear(session, code, about_id, by.creator_id if by else None, clock.now())


def standing_about(session: Session, code: str) -> set[str]:
    """The ids of the things about which a fault of that code stands."""
    return store.standing_about(session, code)


def stands(session: Session, code: str, about_id: str) -> bool:
    """Whether a fault of that code stands about that thing."""
    return store.stands(session, code, about_id)


def last_cleared(session: Session, code: str, about_id: str) -> datetime | None:
    """When a fault of that code about that thing was last cleared; None: never."""
    return store.last_cleared(session, code, about_id)


def let_go(lib: Plumbing, before: datetime, at_once: int) -> None:
    """Delete what was cleared before that, so many at once; one that stands is never too old."""
    while True:
        with lib.db.read() as session:
            old = store.cleared_before(session, before, at_once)
        if not old:
            return
        with lib.db.write() as session:
            store.delete_these(session, old)


def in_view(
    lib: Plumbing,
    operator: Operator,
    *,
    state: str | None = None,
    about: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The faults the operator may see, newest first; an admin sees everybody's.

    `state` is `standing` or `cleared`, `about` the id of a thing. Raises Invalid for another state.
    """
    if state is not None and state not in STATES:
        raise Invalid(f"A fault's state is one of {', '.join(STATES)}.", field="state")
    visible = None if operator.is_admin else operator.visible
    standing = None if state is None else state == "standing"
    size = max(1, min(limit, MAX_LIMIT))
    with lib.db.read() as session:
        rows = store.in_view(
            session, visible, about_id=about, standing=standing, after=after, limit=size + 1
        )
    labels = owners.labels(lib, [row.owner_id for row in rows])
    shown = [_describe(row, labels.get(row.owner_id)) for row in rows[:size]]
    return Page(shown, shown[-1]["id"] if len(rows) > size else None)


def _describe(row: Fault, owner: dict[str, str] | None) -> dict[str, Any]:
    return {
        "id": row.id,
        "code": row.code,
        "about_id": row.about_id,
        "about": row.about,
        "owner": owner,
        "detail": row.detail,
        "state": "cleared" if row.cleared_at else "standing",
        "raised_at": clock.iso(row.raised_at),
        "cleared_at": clock.iso(row.cleared_at),
    }
