"""How much may be posted: a bucket an endpoint, a lifetime cap a todo."""

from __future__ import annotations

from sqlalchemy.orm import Session

from switchboard.errors import RateLimited
from switchboard.lib.plumbing import Plumbing
from switchboard.replies import store

NEVER_SECONDS = 86_400


def charge(lib: Plumbing, session: Session, endpoint_id: str, todo_id: str) -> None:
    """Raise RateLimited over the todo's cap or the endpoint's reply rate; else take one token."""
    if store.count_of_todo(session, todo_id) >= lib.settings["REPLIES_PER_TODO"]:
        raise _full(lib)
    wait = lib.buckets.take(f"reply:{endpoint_id}", lib.settings["REPLY_RATE"])
    if wait:
        raise RateLimited("This endpoint replies too often.", retry_after=wait)


def refuse_beyond_cap(lib: Plumbing, session: Session, todo_id: str) -> None:
    """Raise RateLimited, undoing the caller's transaction, when its reply is one too many."""
    if store.count_of_todo(session, todo_id) > lib.settings["REPLIES_PER_TODO"]:
        raise _full(lib)


def _full(lib: Plumbing) -> RateLimited:
    cap = lib.settings["REPLIES_PER_TODO"]
    return RateLimited(
        f"This todo has its {cap} replies; it takes no more.", retry_after=NEVER_SECONDS
    )
