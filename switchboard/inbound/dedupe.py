"""Repeats: which keys a delivery holds, and the answer to one that was seen before.

The sender's id is kept as long as the record. What else tells a repeat (the body for a forge, which
does not sign the id; the signature where a time is signed; a Slack message's own name) each kind knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from switchboard.errors import Conflict
from switchboard.inbound import ack_store
from switchboard.inbound.ack_store import Held
from switchboard.inbound.draft import Draft
from switchboard.lib import clock
from switchboard.lib.express import Write
from switchboard.lib.plumbing import Plumbing

COUNT_EVERY = timedelta(seconds=1)

Reply = tuple[int, dict[str, Any]]


def keys_of(draft: Draft, others: Mapping[str, int | None]) -> dict[str, int | None]:
    """The keys of this delivery, each with the seconds it holds (None: as long as the record)."""
    own = {} if draft.sender_id is None else {f"id:{draft.sender_id}": None}
    return {**own, **others}


def claimed(keys: Mapping[str, int | None], made_something: bool) -> dict[str, int | None]:
    """What a delivery claims: one that made nothing leaves the thing it is about to the next about it.

    A Slack message comes as `message` and again as `app_mention`; a rule that drops the one must not
    lose the other.
    """
    return {
        key: seconds
        for key, seconds in keys.items()
        if made_something or not _names_a_thing(key, seconds)
    }


def holds_a_thing(keys: Mapping[str, int | None]) -> bool:
    """Whether one of the keys may be claimed or not: then trying to claim tells no repeat for certain."""
    return any(_names_a_thing(key, seconds) for key, seconds in keys.items())


def _names_a_thing(key: str, seconds: int | None) -> bool:
    """Whether it is the key of what a delivery is about, and not of the delivery itself."""
    return seconds is None and not key.startswith("id:")


def expiries(keys: Mapping[str, int | None], now: datetime) -> dict[str, datetime | None]:
    """Each key with the time at which it is free again."""
    return {
        key: None if seconds is None else now + timedelta(seconds=seconds)
        for key, seconds in keys.items()
    }


def find_repeat(lib: Plumbing, draft: Draft) -> Held | None:
    """The earlier delivery this one repeats, or None.

    Raises Conflict `delivery_conflict` when the sender's id came before with another body.
    """
    assert draft.source is not None
    held = ack_store.find_keys(lib.express, draft.source.id, draft.keys, clock.now())
    for each in held:
        if each.key.startswith("id:") and each.body_sha256 != draft.body_sha256:
            raise Conflict(
                f"The delivery id {draft.sender_id} came before with another body.",
                "delivery_conflict",
            )
    # the same id says more than the same body under another
    return min(held, key=lambda each: not each.key.startswith("id:"), default=None)


def held_in_common(lib: Plumbing, space: str, key: str) -> Held | None:
    """The delivery that holds a key which several sources share, by whichever of them it came."""
    return next(iter(ack_store.find_keys(lib.express, space, [key], clock.now())), None)


def claim_in_common(space: str, delivery_id: str, key: str, seconds: int) -> list[Write]:
    """Claim it for a delivery; Lost when another one holds it."""
    now = clock.now()
    return ack_store.claim_writes(space, delivery_id, expiries({key: seconds}, now), now)


def answer_repeat(lib: Plumbing, earlier: Held) -> Reply:
    """The original outcome again, and the attempt counted (at most once a second a row)."""
    now = clock.now()
    if earlier.last_attempt_at < now - COUNT_EVERY:
        lib.express.commit([ack_store.attempt_write(earlier.id, now)])
    told = {name: value for name, value in earlier.outcome.items() if name != "trace"}
    if earlier.status == "accepted":
        return 200, {**told, "duplicate": True}
    return earlier.http_status, told
