"""The delivery record: every request to a known source is a row, whatever becomes of it.

Accepting writes everything in one transaction. Refusals of strangers are folded beyond 60 a minute,
so that a flood cannot fill the disk.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from switchboard.errors import Problem
from switchboard.inbound import ack_store, dedupe, log_store
from switchboard.inbound.ack_store import Target
from switchboard.inbound.draft import Draft
from switchboard.lib import clock, ids
from switchboard.lib.express import Write
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean, one_line
from switchboard.providers.base import Address, Event
from switchboard.replies import echo
from switchboard.replies.echo import Echo
from switchboard.todos import queue as todos

FOLD_AFTER = 60  # rows a minute
CONSUMING = (403, 422)  # refusals that answer the sender's id for good
COMPRESSION = 1  # the fastest: a hook body shrinks to a fifth with it already


def accept(
    lib: Plumbing,
    draft: Draft,
    event: Event,
    targets: Sequence[Target],
    address: Address | None,
    back: Echo | None = None,
) -> dict[str, Any]:
    """Commit the delivery with what it became and return the outcome.

    Raises Lost when another copy of it came first.
    """
    assert draft.source is not None
    cause = "self_reply" if back else None
    made = [
        todos.NewTodo(
            endpoint_id=target.endpoint_id,
            queue=target.queue,
            owner_account_id=target.owner_account_id,
            owner_team_id=target.owner_team_id,
            title=event.title,
            subject=event.subject,
            kind=event.kind,
            source_id=draft.source.id,
            delivery_id=draft.id,
            reply_to=address.as_dict() if address else None,
        )
        for target in targets
    ]
    outcome = _outcome(draft, made, targets, cause)
    reason = _accepted_reason(event, len(made), cause)
    body = zlib.compress(draft.incoming.raw, COMPRESSION)
    row = _row(draft, "accepted", 202, cause or "accepted", reason, outcome)
    lib.express.commit([*_record(draft, row, body), *todos.writes(made), *echo.writes(back)])
    return outcome


def _outcome(
    draft: Draft, made: Sequence[todos.NewTodo], targets: Sequence[Target], cause: str | None
) -> dict[str, Any]:
    """What the sender is told it became."""
    return {
        "delivery": draft.id,
        "todos": [
            {"id": todo.id, "endpoint": target.endpoint_slug, "queue": todo.queue, "created": True}
            for todo, target in zip(made, targets, strict=True)
        ],
        "artifacts": [{"type": "todo", "id": todo.id} for todo in made],
        "created": len(made),
        "duplicate": False,
        "dropped": cause is not None,
        "cause": cause,
        "verified": draft.verified,
        "trust": draft.trust,
    }


def _accepted_reason(event: Event, made: int, cause: str | None) -> str:
    if cause == "self_reply":
        return "This is the echo of a reply posted from here, so it makes no todo."
    if not event.makes_todo:
        return "The provider's test message arrived and verified; it makes no todo."
    return f"Accepted: it became {made} todo{'' if made == 1 else 's'}."


def _record(draft: Draft, row: dict[str, Any], body: bytes) -> list[Write]:
    """The row, its keys claimed, the body kept."""
    assert draft.source is not None
    now = row["received_at"]
    keys = dedupe.expiries(draft.keys, now)
    return [
        ack_store.delivery_write(row),
        *ack_store.claim_writes(draft.source.id, draft.id, keys, now),
        ack_store.body_write(draft.id, body),
    ]


def refuse(lib: Plumbing, draft: Draft, problem: Problem) -> None:
    """Record a refusal or failure. Raises Lost when another copy came first."""
    status = "failed" if problem.status >= 500 else "refused"
    row = _row(
        draft, status, problem.status, problem.code, clean(problem.detail), problem.as_dict()
    )
    if draft.verified and problem.status in CONSUMING:
        body = zlib.compress(draft.incoming.raw, COMPRESSION)
        lib.express.commit(_record(draft, row, body))
        return
    with lib.db.write() as session:
        _insert_or_fold(session, row)


def _insert_or_fold(session: Session, row: dict[str, Any]) -> None:
    """Write the row, or count it into this minute's folded one."""
    minute = row["received_at"].replace(second=0, microsecond=0)
    since_id, source_id = ids.first_at("delivery", minute), row["source_id"]
    if log_store.count_refused_since(session, source_id, since_id, FOLD_AFTER) < FOLD_AFTER:
        log_store.insert_delivery(session, row)
    else:
        fold_key = f"{source_id or 'unknown'}:{minute:%Y-%m-%dT%H:%M}"
        log_store.fold_delivery(session, {**row, "fold_key": fold_key})


def _row(
    draft: Draft, status: str, http_status: int, code: str, reason: str, outcome: dict[str, Any]
) -> dict[str, Any]:
    now = clock.now()
    incoming = draft.incoming
    return {
        "id": draft.id,
        "source_id": draft.source.id if draft.source else None,
        "kind": draft.source.kind if draft.source else "unknown",
        "event_type": draft.event_type,
        "sender_id": draft.sender_id,
        "subject": one_line(draft.subject, 300) if draft.subject else None,
        "status": status,
        "http_status": http_status,
        "code": code,
        "reason": reason,
        "duration_ms": draft.duration_ms,
        "attempt": 1,
        "count": 1,
        "fold_key": None,
        "bytes": len(incoming.raw),
        "body_sha256": draft.body_sha256,
        "remote_addr": incoming.remote_addr[:64],
        "trust": draft.trust,
        "verified": draft.verified,
        "headers": draft.safe_headers(),
        "outcome": outcome,
        "received_at": now,
        "last_attempt_at": now,
    }
