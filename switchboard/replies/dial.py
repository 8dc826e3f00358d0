"""Dialling a reply: claimed by one conditional UPDATE, posted once, its outcome written.

What may have been written is never dialled again: anything uncertain is `unknown`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from switchboard.errors import Conflict
from switchboard.lib import clock
from switchboard.lib.express import Lost
from switchboard.lib.http import OutboundError
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import answering_kind
from switchboard.providers.base import Credential, Posted
from switchboard.replies import dial_store, store
from switchboard.replies.wording import posted_text
from switchboard.vault import connections

log = logging.getLogger(__name__)

TRIES = 3
BUDGET_SECONDS = 40.0  # of the job's 45
MAX_PAUSE_SECONDS = 10
PAUSE_SECONDS = 1.0  # between tries that never reached the provider


@dataclass(frozen=True)
class Call:
    """One post, ready to be made."""

    reply_id: str
    connection_id: str
    kind: str
    credential: Credential = field(repr=False)
    address: Mapping[str, Any]
    text: str


def dial(lib: Plumbing, reply_id: str) -> None:
    """Post one reply if nobody has claimed it yet, and write down what came of it."""
    found = dial_store.find_undialled(lib.express, reply_id)
    if found is None or not _claim(lib, found):
        return
    call = _prepare(lib, found)
    if isinstance(call, Posted):
        _settle(lib, reply_id, None, call)
    else:
        _settle(lib, reply_id, call.connection_id, _post(lib, call))


def _claim(lib: Plumbing, found: dial_store.Undialled) -> bool:
    """Take the dial; a reply whose connection is closed is put off instead."""
    now = clock.now()
    if found.closed_until is not None and found.closed_until > now:
        lib.express.commit([dial_store.postpone_write(found.id, found.closed_until)])
        return False
    try:
        lib.express.commit([dial_store.claim_write(found.id, now)])
    except Lost:
        return False
    return True


def _prepare(lib: Plumbing, found: dial_store.Undialled) -> Call | Posted:
    if found.connection_id is None:
        return Posted("failed", error_class="auth", error_code="connection_gone")
    try:
        secret = connections.open_sealed(lib, found.connection_id, found.kind, found.secret)
    except Conflict as error:
        return Posted("failed", error_class="auth", error_code=error.code)
    return Call(
        found.id,
        found.connection_id,
        found.kind,
        Credential(found.account_key, secret),
        found.address,
        posted_text(found.text, found.signature),
    )


def _post(lib: Plumbing, call: Call) -> Posted:
    """Up to three tries, each only when the one before cannot have been written."""
    deadline = time.monotonic() + BUDGET_SECONDS
    for last in (False,) * (TRIES - 1) + (True,):
        outcome, pause = _try_once(lib, call)
        room = deadline - time.monotonic() - lib.settings["DIAL_SECONDS"]
        if pause is None or last or pause > room:
            return outcome
        time.sleep(pause)
        if not _still_ours(lib, call.reply_id):
            return outcome
    raise AssertionError("the last try returns")


def _try_once(lib: Plumbing, call: Call) -> tuple[Posted, float | None]:
    """The outcome, and after how many seconds another try would be safe (None: never)."""
    provider = answering_kind(lib.settings, call.kind)
    try:
        outcome = provider.post(lib.http, call.credential, call.address, call.text)
    except OutboundError as error:
        state = "unknown" if error.written else "failed"
        outcome = Posted(state, error_class="network", error_code=error.code)
        blocked = error.code == "blocked_address"
        return outcome, None if error.written or blocked else PAUSE_SECONDS
    if outcome.retry_after is not None and outcome.retry_after <= MAX_PAUSE_SECONDS:
        return outcome, float(outcome.retry_after)
    return outcome, None


def _still_ours(lib: Plumbing, reply_id: str) -> bool:
    with lib.db.read() as session:
        reply = store.by_id(session, reply_id)
        return reply is not None and reply.state == "pending"


def _settle(lib: Plumbing, reply_id: str, connection_id: str | None, outcome: Posted) -> None:
    # A sweep may have called the row unknown meanwhile; a definite answer is better than that.
    overwrites = "pending" if outcome.state == "unknown" else "unknown"
    now = clock.now()
    writes = [dial_store.settle_write(reply_id, overwrites, outcome, now)]
    if connection_id is not None:
        closed_until = clock.ahead(outcome.retry_after) if outcome.retry_after else None
        writes.append(connections.used_write(connection_id, now, closed_until))
    lib.express.commit(writes)
    log.info("reply %s is %s %s", reply_id, outcome.state, outcome.error_code or "")
