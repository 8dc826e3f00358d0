"""Posts that no reply verb asked for: an agent's question, the report of an answer brought to it.

They pass what a reply passes (connection, allowlists, scan, lengths, limits) and are dialled the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access.principals import Owner
from switchboard.errors import Conflict
from switchboard.lib import queue
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Reply
from switchboard.providers import answering_kind
from switchboard.replies import accept, dial, limits, resolve, rows, scan, store
from switchboard.replies.accept import Waiting
from switchboard.replies.wording import posted_text


@dataclass(frozen=True)
class Post:
    """What to post where, for whom. `key` tells a repeat, and is tried anew after what failed.

    `todo_id` is the todo whose holder asks, `endpoint_id` the endpoint it is asked for through; None where
    a human or the machine does. `aimed_by_agent`: an agent could have chosen the address.
    """

    purpose: str
    owner: Owner
    address: Mapping[str, Any]
    text: str
    key: str
    todo_id: str | None = None
    endpoint_id: str | None = None
    aimed_by_agent: bool = False


def keep(lib: Plumbing, post: Post) -> str:
    """Write the row, and return its id; that of the earlier one for a repeat that did not fail.

    Raises as a reply does (docs/replies.md), from the connection on, and then there is no row.
    """
    with lib.db.write() as session:
        return keep_in(lib, session, post)


def keep_in(lib: Plumbing, session: Session, post: Post) -> str:
    """The same in the caller's transaction, which stays good whatever is raised."""
    scan.refuse_secrets(post.text)
    if post.todo_id:
        _check_held(session, post.todo_id)
    connection = resolve.connection_for(
        lib,
        session,
        post.owner.id,
        post.address,
        endpoint_id=post.endpoint_id,
        agent_knows_secret=post.aimed_by_agent,
    )
    provider = answering_kind(lib.settings, post.address["provider"])
    provider.check_text(posted_text(post.text, connection.signature))
    resolve.refuse_closed(connection)
    failures = store.failed_with_key(session, post.todo_id, post.key)
    row = rows.pending(post.purpose, connection, post.address, post.text) | post.owner.columns
    row |= {"todo_id": post.todo_id, "endpoint_id": post.endpoint_id}
    row["idempotency_key"] = f"{post.key}:{failures}"
    if not _insert(session, row):
        return _earlier(session, row).id
    if post.todo_id and post.endpoint_id:
        limits.charge(lib, session, post.endpoint_id, post.todo_id, connection.replies_per_todo)
    return str(row["id"])


def _check_held(session: Session, todo_id: str) -> None:
    if store.lock_todo(session, todo_id).state != "claimed":
        raise Conflict("The todo is not claimed any more.", "not_claimed")


def _insert(session: Session, row: Mapping[str, Any]) -> bool:
    try:
        with session.begin_nested():
            return store.insert(session, row)
    except IntegrityError:
        raise resolve.no_connection("It was deleted just now.") from None


def _earlier(session: Session, row: Mapping[str, Any]) -> Reply:
    earlier = store.with_key(session, row["todo_id"], row["idempotency_key"])
    assert earlier is not None
    return earlier


def dial_here(lib: Plumbing, reply_id: str) -> dict[str, Any]:
    """Dial the row in this process, if nobody has, and return its outcome: needs no queue and no worker."""
    dial.dial(lib, reply_id)
    return accept.look(lib, reply_id)


def have_dialled(lib: Plumbing, reply_id: str, waiting: Waiting) -> dict[str, Any]:
    """Ring for a worker and return the outcome as it stands after the usual wait."""
    queue.ring(lib.valkey, queue.DIAL_REPLY, reply_id)
    return accept.wait(lib, reply_id, lib.settings["REPLY_WAIT_SECONDS"], waiting)


def aimed_by_agent(lib: Plumbing, endpoint_id: str | None, address: Mapping[str, Any]) -> bool:
    """Whether an agent could have made that address the endpoint's business, by what it signed itself."""
    if endpoint_id is None:
        return False
    with lib.db.read() as session:
        return store.aimed_by_an_agent(session, endpoint_id, address["key"])
