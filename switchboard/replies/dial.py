"""Dialling a reply: claimed by one conditional UPDATE, posted once, its outcome written.

What may have been written is never dialled again: anything uncertain is `unknown`. A provider that says
"later" is asked again later, by another job: a worker that waits would keep other connections waiting.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from switchboard.errors import Conflict
from switchboard.lib import clock
from switchboard.lib.express import Lost, Write
from switchboard.lib.http import OutboundError
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import admitted
from switchboard.providers import answering_kind
from switchboard.providers.answers import without_secret
from switchboard.providers.base import Credential, Posted
from switchboard.replies import dial_store, store
from switchboard.replies.wording import posted_text, text_hash
from switchboard.vault import connections

log = logging.getLogger(__name__)

TRIES = 3  # of one job to reach the provider, and of jobs while it says "later"
BUDGET_SECONDS = 40.0  # of the job's 45
MAX_PAUSE_SECONDS = 10  # a longer one ends the reply
PAUSE_SECONDS = 1.0  # between tries of one job that never reached the provider


@dataclass(frozen=True)
class Call:
    """One post, ready to be made."""

    reply_id: str
    kind: str
    credential: Credential = field(repr=False)
    address: Mapping[str, Any]
    text: str


def dial(lib: Plumbing, reply_id: str) -> None:
    """Post one reply if nobody has claimed it yet, and write down what came of it."""
    found = dial_store.find_undialled(lib.express, reply_id)
    if found is None:
        return
    text = posted_text(found.text, found.signature)
    if not _claim(lib, found, text):
        return
    call = _prepare(lib, found, text)
    outcome = call if isinstance(call, Posted) else _post(lib, call)
    if _may_come_again(found, outcome):
        _release(lib, found, clock.ahead(outcome.retry_after or 0))
    else:
        _settle(lib, found, outcome)


def _claim(lib: Plumbing, found: dial_store.Undialled, text: str) -> bool:
    """Take the dial; a reply whose connection is closed is put off instead."""
    now = clock.now()
    if found.closed_until is not None and found.closed_until > now:
        lib.express.commit([dial_store.postpone_write(found.id, found.closed_until)])
        return False
    try:
        lib.express.commit([dial_store.claim_write(found.id, now, text_hash(text))])
    except Lost:
        return False
    return True


def _prepare(lib: Plumbing, found: dial_store.Undialled, text: str) -> Call | Posted:
    """The call, or why there is none: the connection may have changed since the reply was accepted."""
    if found.connection_id is None:
        return Posted("failed", error_class="auth", error_code="connection_gone")
    provider = answering_kind(lib.settings, found.kind)
    target = provider.target_of(found.address)
    exactly = provider.exact_targets
    elsewhere = found.targets and not admitted(target, found.targets, exactly=exactly)
    by_another = found.endpoint_id and found.endpoints and found.endpoint_id not in found.endpoints
    if elsewhere or by_another:
        return Posted("failed", error_class="forbidden", error_code="target_not_allowed")
    try:
        secret = connections.open_sealed(lib, found.connection_id, found.kind, found.secret)
    except Conflict as error:
        return Posted("failed", error_class="auth", error_code=error.code)
    credential = Credential(found.account_key, secret)
    return Call(found.id, found.kind, credential, found.address, text)


def _post(lib: Plumbing, call: Call) -> Posted:
    """Up to three tries, each only when the one before never reached the provider."""
    deadline = time.monotonic() + BUDGET_SECONDS
    for last in (False,) * (TRIES - 1) + (True,):
        outcome, again = _try_once(lib, call)
        room = deadline - time.monotonic() - lib.settings["DIAL_SECONDS"]
        if not again or last or room < PAUSE_SECONDS:
            return outcome
        time.sleep(PAUSE_SECONDS)
        if not _still_ours(lib, call.reply_id):
            return outcome
    raise AssertionError("the last try returns")


def _try_once(lib: Plumbing, call: Call) -> tuple[Posted, bool]:
    """The outcome, and whether the provider was not reached, so that another try is safe."""
    provider = answering_kind(lib.settings, call.kind)
    try:
        outcome = provider.post(lib.http, call.credential, call.address, call.text)
    except OutboundError as error:
        state = "unknown" if error.written else "failed"
        outcome = Posted(state, error_class="network", error_code=error.code)
        return outcome, not error.written and error.code != "blocked_address"
    return without_secret(call.credential, outcome), False


def _still_ours(lib: Plumbing, reply_id: str) -> bool:
    with lib.db.read() as session:
        reply = store.by_id(session, reply_id)
        return reply is not None and reply.state == "pending"


def _may_come_again(found: dial_store.Undialled, outcome: Posted) -> bool:
    """Whether the provider said no for a moment only, and not too often yet."""
    soon = outcome.retry_after is not None and outcome.retry_after <= MAX_PAUSE_SECONDS
    return soon and found.tries < TRIES - 1


def _release(lib: Plumbing, found: dial_store.Undialled, until: datetime) -> None:
    """Let the reply wait for its next try without holding a worker; its connection waits with it."""
    lib.express.commit([dial_store.release_write(found.id, until), *_used(found, until)])
    log.info("reply %s waits for its provider", found.id)


def _settle(lib: Plumbing, found: dial_store.Undialled, outcome: Posted) -> None:
    # A sweep may have called the row unknown meanwhile; a definite answer is better than that.
    overwrites = "pending" if outcome.state == "unknown" else "unknown"
    closed_until = clock.ahead(outcome.retry_after) if outcome.retry_after else None
    settled = dial_store.settle_write(found.id, overwrites, outcome, clock.now())
    lib.express.commit([settled, *_used(found, closed_until)])
    log.info("reply %s is %s %s", found.id, outcome.state, outcome.error_code or "")


def _used(found: dial_store.Undialled, closed_until: datetime | None) -> list[Write]:
    if found.connection_id is None:
        return []
    now = clock.now()
    return [connections.used_write(found.connection_id, found.fingerprint, now, closed_until)]
