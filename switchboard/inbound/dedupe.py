"""Repeats: which keys a delivery holds, and the answer to one that was seen before.

The sender's id is kept as long as the record. GitHub signs the body but not the id, so the body with
its event is a key too, for a day: a captured request under a new id makes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from switchboard.errors import Conflict
from switchboard.inbound import store
from switchboard.inbound.draft import Draft
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing

BODY_SECONDS = 86_400
COUNT_EVERY = timedelta(seconds=1)

Reply = tuple[int, dict[str, Any]]


def keys_of(draft: Draft) -> dict[str, int | None]:
    """The keys of this delivery, each with the seconds it holds (None: as long as the record)."""
    return {
        f"id:{draft.sender_id}": None,
        f"body:{draft.event_type}:{draft.body_sha256}": BODY_SECONDS,
    }


def expiries(keys: Mapping[str, int | None], now: datetime) -> dict[str, datetime | None]:
    """Each key with the time at which it is free again."""
    return {
        key: None if seconds is None else now + timedelta(seconds=seconds)
        for key, seconds in keys.items()
    }


def find_repeat(lib: Plumbing, session: Session, draft: Draft) -> Any:
    """The earlier delivery this one repeats, or None.

    Raises Conflict `delivery_conflict` when the sender's id came before with another body.
    """
    assert draft.source is not None
    rows = store.find_keys(session, draft.source.id, draft.keys, clock.now())
    for row in rows:
        if row.key.startswith("id:") and row.body_sha256 != draft.body_sha256:
            raise Conflict(
                f"The delivery id {draft.sender_id} came before with another body.",
                "delivery_conflict",
            )
    return rows[0] if rows else None


def answer_repeat(lib: Plumbing, earlier: Any) -> Reply:
    """The original outcome again, and the attempt counted (at most once a second a row)."""
    now = clock.now()
    if earlier.last_attempt_at < now - COUNT_EVERY:
        with lib.db.write() as session:
            store.count_attempt(session, earlier.id, now)
    if earlier.status == "accepted":
        return 200, {**earlier.outcome, "duplicate": True}
    return earlier.http_status, earlier.outcome
