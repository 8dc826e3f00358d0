"""Replay: a recorded delivery once more, past the dedupe, under what its source is set to now.

It was proved when it came, so neither its signature nor its time is asked for again; letters, echo
suppression and rules are. It counts for no lane and no pause.
"""

from __future__ import annotations

from typing import Any

from requests.structures import CaseInsensitiveDict

from switchboard.access.principals import Operator
from switchboard.errors import Conflict, Problem
from switchboard.inbound import ack_store, deliveries, receive, record
from switchboard.inbound.ack_store import FoundSource
from switchboard.inbound.draft import Draft, Incoming
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Delivery


def replay(lib: Plumbing, operator: Operator, delivery_id: str) -> dict[str, Any]:
    """The new delivery whole, accepted or refused; its `replay_of` names the old one.

    Raises NotFound out of the operator's view, Forbidden for who may only look, Conflict for a delivery
    that nothing proved, whose body is not kept, or whose source is revoked.
    """
    row, _, raw = deliveries.found(lib, operator, delivery_id)
    if row.source_id is None or row.trust is None:
        raise Conflict("Nothing proved who sent this delivery, so it cannot be replayed.")
    source = ack_store.source_by_id(lib.express, row.source_id, clock.now())
    if source is None:
        raise Conflict("The source of this delivery is revoked, so it cannot be replayed.")
    operator.may_configure(source.owner_id)
    if raw is None:
        raise Conflict("The body of this delivery is not kept, so it cannot be replayed.")
    draft = drafted(row, raw, source)
    draft.replay_of = row.id
    try:
        receive.become(lib, draft, receive.read(lib, draft))
    except Problem as problem:
        record.refuse(lib, draft, problem)
    return deliveries.whole(lib, operator, draft.id)


def drafted(row: Delivery, raw: bytes, source: FoundSource) -> Draft:
    """A recorded delivery as it stood after it was let in; it claims no key, so it repeats nothing."""
    incoming = Incoming(
        token=None,
        place=None,
        headers=CaseInsensitiveDict(row.headers),
        raw=raw,
        remote_addr=row.remote_addr,
        received=len(raw),
    )
    return Draft(
        incoming,
        source=source,
        verified=row.verified,
        trust=row.trust,
        event_type=row.event_type,
        sender_id=row.sender_id,
    )
