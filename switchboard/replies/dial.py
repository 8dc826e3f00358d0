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
from switchboard.lib.http import OutboundError
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import provider_of
from switchboard.providers.base import Credential, Posted
from switchboard.replies import store
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
    if not _claim(lib, reply_id):
        return
    call = _prepare(lib, reply_id)
    if isinstance(call, Posted):
        _settle(lib, reply_id, None, call)
        return
    _settle(lib, reply_id, call.connection_id, _post(lib, call))


def _claim(lib: Plumbing, reply_id: str) -> bool:
    """Take the dial; a reply whose connection is closed is put off instead."""
    with lib.db.write() as session:
        reply = store.by_id(session, reply_id)
        if reply is None:
            return False
        connection = connections.by_id(session, reply.connection_id or "")
        now = clock.now()
        if connection and connection.closed_until and connection.closed_until > now:
            store.postpone(session, reply_id, connection.closed_until)
            return False
        return store.claim(session, reply_id, now)


def _prepare(lib: Plumbing, reply_id: str) -> Call | Posted:
    with lib.db.read() as session:
        reply = store.by_id(session, reply_id)
        assert reply is not None
        connection = connections.by_id(session, reply.connection_id or "")
        if connection is None:
            return Posted("failed", error_class="auth", error_code="connection_gone")
        try:
            credential = connections.credential_of(lib, connection)
        except Conflict as error:
            return Posted("failed", error_class="auth", error_code=error.code)
        return Call(
            reply.id,
            connection.id,
            connection.kind,
            credential,
            reply.address,
            posted_text(reply.text, connection.signature),
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
    provider = provider_of(lib.settings, call.kind)
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
    over = ["pending"] if outcome.state == "unknown" else ["pending", "unknown"]
    with lib.db.write() as session:
        store.settle(
            session,
            reply_id,
            over,
            state=outcome.state,
            error_class=outcome.error_class,
            error_code=outcome.error_code,
            provider_object_id=outcome.object_id,
            permalink=outcome.permalink,
            finished_at=clock.now(),
        )
        if connection_id is not None:
            connections.used(session, connection_id, outcome.retry_after)
    log.info("reply %s is %s %s", reply_id, outcome.state, outcome.error_code or "")
