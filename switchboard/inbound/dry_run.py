"""Dry run: what rules would have made of the deliveries that came lately. Nothing is changed by it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from switchboard.access.principals import Operator
from switchboard.errors import Invalid, NotFound, Problem
from switchboard.inbound import (
    ack_store,
    deliveries,
    log_store,
    receive,
    replay,
    route,
    rules,
    source_changes,
    store,
)
from switchboard.inbound.ack_store import FoundSource
from switchboard.inbound.draft import Draft
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing

MOST = 50
SECONDS = 5.0  # for all of them; a request waits for it


def run(
    lib: Plumbing, operator: Operator, ref: str, given: Any = None, limit: int = MOST
) -> list[dict[str, Any]]:
    """What the rules (default: those the source has) make of its newest accepted deliveries.

    For each, newest first, `{id, event_type, subject, result, trace, targets}`; `result` is a clause.
    Raises NotFound and Forbidden as changing the source does, Invalid for rules that are none.
    """
    if not 1 <= limit <= MOST:
        raise Invalid(f"limit is a whole number from 1 to {MOST}.", field="limit")
    wanted = None if given is None else rules.check(lib, operator, given)
    with lib.db.read() as session:
        row = source_changes.configurable(session, operator, ref)
        if wanted is not None:
            rules.check_targets(wanted, store.queues_routed(session, row.id))
        kept = log_store.newest_kept(session, row.id, limit)
        source_id = row.id
    source = ack_store.source_by_id(lib.express, source_id, clock.now())
    if source is None:  # revoked this very moment
        return []
    if wanted is not None:
        source = replace(source, rules=wanted)
    end = time.monotonic() + SECONDS
    tried = (_tried(lib, operator, delivery_id, source, end) for delivery_id in kept)
    return [each for each in tried if each is not None]


def _tried(
    lib: Plumbing, operator: Operator, delivery_id: str, source: FoundSource, end: float
) -> dict[str, Any] | None:
    """What becomes of one; None when it was let go just now."""
    try:
        row, _, raw = deliveries.found(lib, operator, delivery_id)
    except NotFound:
        return None
    draft, targets = replay.drafted(row, raw or b"", source), list[str]()
    if time.monotonic() >= end:
        result = "not tried: the ones before took too long"
    else:
        result, targets = _planned(lib, draft)
    return {
        "id": row.id,
        "event_type": row.event_type,
        "subject": row.subject,
        "result": result,
        "trace": draft.trace,
        "targets": targets,
    }


def _planned(lib: Plumbing, draft: Draft) -> tuple[str, list[str]]:
    try:
        body = receive.read(lib, draft)
        plan = route.plan(lib, draft, receive.understand(lib, draft, body), body, tried=True)
    except Problem as problem:
        return f"refused: {problem.code}", []
    if plan.cause:
        return "dropped", []
    targets = [f"{each.endpoint_name}:{each.queue}" for each in plan.targets]
    return (f"to {', '.join(targets)}" if targets else "makes no todo"), targets
