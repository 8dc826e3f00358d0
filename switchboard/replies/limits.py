"""How much may be posted: a bucket an endpoint, a lifetime cap a todo."""

from __future__ import annotations

from sqlalchemy.orm import Session

from switchboard.errors import RateLimited
from switchboard.lib.plumbing import Plumbing
from switchboard.replies import store

NEVER_SECONDS = 86_400


def charge(
    lib: Plumbing, session: Session, endpoint_id: str, todo_id: str, own_cap: int | None
) -> None:
    """Charge the reply just inserted in this transaction.

    `own_cap` is the connection's cap a todo, None where it has none of its own. Raises RateLimited,
    which undoes the transaction, when it is one too many on its todo or comes faster than the
    endpoint's reply rate; else takes one token. A copy of an earlier reply was not inserted, so it
    costs nothing.
    """
    cap = own_cap or lib.settings["REPLIES_PER_TODO"]
    if store.count_of_todo(session, todo_id) > cap:
        raise RateLimited(
            f"This todo has its {cap} replies; it takes no more.", retry_after=NEVER_SECONDS
        )
    wait = lib.buckets.take(f"reply:{endpoint_id}", lib.settings["REPLY_RATE"])
    if wait:
        raise RateLimited("This endpoint replies too often.", retry_after=wait)
