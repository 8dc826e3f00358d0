"""Adopting a ticket, closing and reopening a thread."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access.principals import Operator
from switchboard.errors import Conflict
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Thread
from switchboard.threads import refs, store, views
from switchboard.threads.comments import require_letter
from switchboard.threads.mirrors import refuse_mirror


def adopt(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """Take charge of a ticket; doing it twice is once. Raises NotFound, Conflict, Forbidden, Invalid."""
    with lib.db.write() as session:
        thread = _to_write(session, operator, ref)
        mine = thread.adopted_at is not None and (
            operator.creator_id is not None and thread.adopted_by_account_id == operator.creator_id
        )
        if thread.kind != "ticket":
            raise Conflict(f"Only tickets are adopted; this is a {thread.kind} thread.")
        done = mine or store.adopt(session, thread.id, clock.now(), account_id=operator.creator_id)
        if not done:
            raise Conflict("Somebody adopted this ticket before.")
    return views.get(lib, operator, ref)


def adopt_by_claim(session: Session, thread_id: str, endpoint_id: str, now: datetime) -> None:
    """The endpoint that claims a ticket's todo adopts the ticket, if nobody has; in that transaction."""
    store.adopt(session, thread_id, now, endpoint_id=endpoint_id)


def close(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """Close a thread; it can still be commented on. Raises NotFound, Forbidden, Invalid."""
    return _set_closed(lib, operator, ref, clock.now())


def reopen(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """Open a closed thread again. Raises NotFound, Forbidden, Invalid."""
    return _set_closed(lib, operator, ref, None)


def _set_closed(
    lib: Plumbing, operator: Operator, ref: str, closed_at: datetime | None
) -> dict[str, Any]:
    with lib.db.write() as session:
        thread = _to_write(session, operator, ref)
        store.set_closed(session, thread.id, closed_at)
    return views.get(lib, operator, ref)


def _to_write(session: Session, operator: Operator, ref: str) -> Thread:
    """A thread in view that the operator may write on. Raises NotFound, Forbidden, Invalid."""
    thread, _ = refs.find(session, operator, ref)
    require_letter(operator, thread)
    refuse_mirror(thread)
    return thread
