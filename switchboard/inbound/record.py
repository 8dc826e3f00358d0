"""The delivery record: every request to a known source is a row, whatever becomes of it.

Accepting writes everything in one transaction. Refusals that use no id up are folded beyond 60 a
minute (`floods.py`), so that a flood cannot fill the disk.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from switchboard.errors import Problem
from switchboard.inbound import ack_store, dedupe, filing, floods, health, pause
from switchboard.inbound.ack_store import Target
from switchboard.inbound.draft import Draft
from switchboard.inbound.route import Plan
from switchboard.lib import clock
from switchboard.lib.express import Write, run_within
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean, one_line
from switchboard.notify import calls
from switchboard.notify.calls import Bell
from switchboard.outbox import tell
from switchboard.providers.base import Event
from switchboard.replies import echo
from switchboard.replies.echo import Echo
from switchboard.threads.filing import Filed
from switchboard.todos import queue as todos

CONSUMING = (403, 422)  # refusals that answer the sender's id for good
COMPRESSION = 1  # the fastest: a hook body shrinks to a fifth with it already


def accept(
    lib: Plumbing, draft: Draft, event: Event, plan: Plan, back: Echo | None = None
) -> dict[str, Any]:
    """Commit the delivery with what it became and return the outcome.

    Raises Lost when another copy of it came first, and what filing an artifact refuses.
    """
    if event.artifact is not None and plan.cause is None:
        with lib.db.write() as session:
            filed = filing.file(session, draft, event.artifact)
            outcome, writes, bells = _accepted(draft, event, plan, filed)
            run_within(session, writes)
        tell.ring(lib, filed.due)
    else:
        outcome, writes, bells = _accepted(draft, event, plan, None)
        lib.express.commit([*writes, *echo.writes(back, draft.id)])
    calls.ring(lib, bells)
    if draft.probing:
        lib.recent.forget()  # the source is resumed
    return outcome


def _accepted(
    draft: Draft, event: Event, plan: Plan, filed: Filed | None
) -> tuple[dict[str, Any], list[Write], list[Bell]]:
    """The outcome, all that is to be written, and what of it is to be rung for afterwards."""
    made = [_todo(draft, event, plan, target, filed) for target in plan.targets]
    outcome = _outcome(draft, made, plan, filed)
    reason = _accepted_reason(event, len(made), plan.cause, filed)
    status = 202 if event.answer is None else 200
    row = _row(draft, "accepted", status, plan.cause or "accepted", reason, outcome)
    body = zlib.compress(draft.kept_raw, COMPRESSION)
    bells = [
        Bell(todo.endpoint_id, todo.id)
        for todo, target in zip(made, plan.targets, strict=True)
        if target.has_hook
    ]
    work = [*todos.writes(made), *calls.writes(bells)]
    return outcome, [*_record(draft, row, body), *work, *pause.success_writes(draft)], bells


def _todo(
    draft: Draft, event: Event, plan: Plan, target: Target, filed: Filed | None
) -> todos.NewTodo:
    assert draft.source is not None
    return todos.NewTodo(
        endpoint_id=target.endpoint_id,
        queue=target.queue,
        owner_account_id=target.owner_account_id,
        owner_team_id=target.owner_team_id,
        title=event.title,
        subject=(filed.ref if filed else None) or event.subject,
        kind=event.kind,
        source_id=draft.source.id,
        delivery_id=draft.id,
        reply_to=plan.address.as_dict() if plan.address else None,
        thread_id=filed.thread_id if filed else None,
    )


def _outcome(
    draft: Draft, made: Sequence[todos.NewTodo], plan: Plan, filed: Filed | None
) -> dict[str, Any]:
    """What the sender is told it became."""
    artifacts = [filed.as_dict()] if filed else []
    return {
        "delivery": draft.id,
        "todos": [
            {"id": todo.id, "endpoint": target.endpoint_slug, "queue": todo.queue, "created": True}
            for todo, target in zip(made, plan.targets, strict=True)
        ],
        "artifacts": [*artifacts, *({"type": "todo", "id": todo.id} for todo in made)],
        "created": len(made),
        "duplicate": False,
        "dropped": plan.cause is not None,
        "cause": plan.cause,
        "verified": draft.verified,
        "trust": draft.trust,
    }


def _accepted_reason(event: Event, made: int, cause: str | None, filed: Filed | None) -> str:
    if cause == "self_reply":
        return "This is the echo of a reply posted from here, so it makes no todo."
    if cause == "rule":
        return "A rule of the source drops it, so it makes nothing."
    if event.letter is None:
        return "A test or a notice of the provider's own: it arrived well and makes nothing."
    todos_made = f"{made} todo{'' if made == 1 else 's'}"
    if filed is None:
        return f"Accepted: it became {todos_made}."
    what = f"a {filed.type}" + (f" ({filed.ref})" if filed.ref else "")
    return f"Accepted: it became {what}" + (f" and {todos_made}." if made else ".")


def _record(draft: Draft, row: dict[str, Any], body: bytes) -> list[Write]:
    """The row, its keys claimed, the body kept."""
    assert draft.source is not None
    now = row["received_at"]
    made_something = row["status"] == "accepted" and not row["outcome"]["dropped"]
    keys = dedupe.expiries(dedupe.claimed(draft.keys, made_something), now)
    return [
        ack_store.delivery_write(row),
        *ack_store.claim_writes(draft.source.id, draft.id, keys, now),
        ack_store.body_write(draft.id, body),
    ]


def taken_up(
    draft: Draft, code: str, reason: str, outcome: dict[str, Any], http_status: int = 202
) -> list[Write]:
    """The row, keys and body of a delivery that makes no todo, for whoever reads it later (`settle`)."""
    row = _row(draft, "accepted", http_status, code, reason, outcome)
    return _record(draft, row, zlib.compress(draft.kept_raw, COMPRESSION))


def settle(
    session: Session, delivery_id: str, code: str, reason: str, outcome: dict[str, Any]
) -> None:
    """Write what became of a delivery taken up before, in the transaction that makes it so."""
    _settle(session, delivery_id, "accepted", 202, code, reason, outcome)


def settle_refused(session: Session, delivery_id: str, problem: Problem) -> None:
    """The same where it could not be used after all."""
    status = "failed" if problem.status >= 500 else "refused"
    told = {"delivery": delivery_id, **problem.as_dict()}
    _settle(session, delivery_id, status, problem.status, problem.code, problem.detail, told)


def _settle(
    session: Session,
    delivery_id: str,
    status: str,
    http_status: int,
    code: str,
    reason: str,
    outcome: dict[str, Any],
) -> None:
    settled = {
        "status": status,
        "http_status": http_status,
        "code": code,
        "reason": clean(reason),
        "outcome": outcome,
    }
    run_within(session, [ack_store.settle_write(delivery_id, settled)])


def refuse(lib: Plumbing, draft: Draft, problem: Problem) -> None:
    """Record a refusal or failure. Raises Lost when another copy came first."""
    counted = pause.failure_writes(lib, draft, problem)
    if draft.trust and problem.status in CONSUMING:
        body = zlib.compress(draft.kept_raw, COMPRESSION)
        lib.express.commit([*_record(draft, _refused(draft, problem), body), *counted])
    else:
        source_id = draft.source.id if draft.source else None
        proved = draft.verified
        begins = floods.keep(
            lib, source_id, problem, lambda: _refused(draft, problem), counted, proved=proved
        )
        if begins and source_id and not proved:
            health.look_now(lib, source_id)
    if counted:
        lib.recent.forget()  # the source may be paused


def _refused(draft: Draft, problem: Problem) -> dict[str, Any]:
    status = "failed" if problem.status >= 500 else "refused"
    reason = clean(problem.detail)
    return _row(draft, status, problem.status, problem.code, reason, problem.as_dict())


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
        "bytes": incoming.received,
        "body_sha256": draft.body_sha256,
        "remote_addr": incoming.remote_addr[:64],
        "trust": draft.trust,
        "verified": draft.verified,
        "headers": draft.safe_headers(),
        # the trace is for the log alone; a repeat is answered without it (dedupe.answer_repeat)
        "outcome": outcome | {"trace": draft.trace} if draft.trace else outcome,
        "diagnosis": draft.diagnosis,
        "replay_of": draft.replay_of,
        "received_at": now,
        "last_attempt_at": now,
    }
