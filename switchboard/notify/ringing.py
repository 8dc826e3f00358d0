"""Making the calls: claimed by one conditional UPDATE, made in a thread, their outcome written.

A worker's job only hands over, so that a receiver that hangs keeps no worker from other work. What finds
no place is left to the sweep. A call may be made twice, unlike a reply: it has one id, and says only
that there is work.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence

from switchboard.errors import Conflict, Unavailable
from switchboard.lib import clock, queue
from switchboard.lib.express import Lost
from switchboard.lib.http import OutboundError
from switchboard.lib.plumbing import Plumbing
from switchboard.notify import body, call_store
from switchboard.notify.call_store import Found
from switchboard.notify.places import Places
from switchboard.notify.sealing import signing_secrets
from switchboard.providers.answers import refused

log = logging.getLogger(__name__)

CALL_SECONDS = 5.0
TURN_SECONDS = 5.0  # how long a process goes on calling one hook at a stretch
AGAIN_SECONDS = (5, 30)  # after the first failure, after the second
ATTEMPTS = len(AGAIN_SECONDS) + 1

Failure = tuple[str, str]  # class and code


def take_up(lib: Plumbing, call_id: str) -> threading.Thread | None:
    """Begin one call, if it is due and there is a place: it goes on in the thread returned."""
    found = call_store.find_due(lib.express, call_id, clock.now())
    if found is None:
        return None
    places = lib.own(Places)
    if not places.take(found.endpoint_id, ailing=found.failures > 0):
        return None
    thread = threading.Thread(
        target=_run, args=(lib, places, found), name=f"hook {call_id}", daemon=True
    )
    try:
        thread.start()
    except RuntimeError:  # the machine gives no more threads
        places.free(found.endpoint_id)
        raise
    return thread


def _run(lib: Plumbing, places: Places, first: Found) -> None:
    endpoint_id, given_back = first.endpoint_id, False
    try:
        given_back = _ring_on(lib, places, first)
    except Unavailable:
        log.warning("the hook of %s: a call could not be noted and is taken back", endpoint_id)
    except Exception:  # nobody stands above a thread, and the log is redacted where stderr is not
        log.exception("the hook of %s: a call broke off", endpoint_id)
    finally:
        if not given_back:
            places.free(endpoint_id)


def _ring_on(lib: Plumbing, places: Places, first: Found) -> bool:
    """This call, then what else is due of its hook, one after the other, until one fails.

    Returns whether the place was given back. After its turn a hook lines up
    again, so that one that takes every call, and its time, leaves room as well.
    """
    found: Found | None = first
    until = time.monotonic() + TURN_SECONDS
    while found is not None or not places.done(first.endpoint_id):
        if time.monotonic() > until and found is not None:
            places.free(first.endpoint_id)
            queue.ring(lib.valkey, queue.CALL_HOOK, found.id)
            return True
        if found is not None and not _ring(lib, found):
            return False
        found = call_store.find_next(lib.express, first.endpoint_id, clock.now())
    return True


def _ring(lib: Plumbing, found: Found) -> bool:
    """Make one attempt; False where the hook failed, so that its other calls had better wait."""
    if not found.wanted:
        lib.express.commit([call_store.drop_write(found.id)])
        return True
    try:
        lib.express.commit([call_store.claim_write(found.id, found.attempts, clock.now())])
    except Lost:
        return True
    failure = _call(lib, found)
    _settle(lib, found, failure)
    return failure is None


def _call(lib: Plumbing, found: Found) -> Failure | None:
    try:
        secrets = signing_secrets(
            lib, found.endpoint_id, found.secret, found.previous_secret, found.previous_until
        )
    except Conflict as error:
        return "auth", error.code
    raw = body.todo_ready(
        at=found.created_at,
        todo=found.todo_id,
        endpoint=found.slug or "",
        queue=found.queue,
        kind=found.kind,
        source=found.source,
        reply_to=(found.reply_to or {}).get("kind"),
        title=found.title,
    )
    return post(lib, found.url, raw, secrets, found.id)


def post(
    lib: Plumbing, url: str, raw: bytes, secrets: Sequence[str], call_id: str
) -> Failure | None:
    """Call a hook once, within 5 s; None when it took the call, else why not. Its words are not kept."""
    headers = body.headers(raw, secrets, call_id, clock.now())
    try:
        answer = lib.http.request("POST", url, headers=headers, content=raw, timeout=CALL_SECONDS)
    except OutboundError as error:
        return "network", error.code
    if 200 <= answer.status < 300:
        return None
    outcome = refused(answer, None)
    return outcome.error_class or "invalid", outcome.error_code or str(answer.status)


def _settle(lib: Plumbing, found: Found, failure: Failure | None) -> None:
    now, attempt = clock.now(), found.attempts + 1
    if failure is None:
        settled = call_store.sent_write(found.id, attempt, now)
    elif attempt < ATTEMPTS:
        again_at = clock.ahead(AGAIN_SECONDS[attempt - 1])
        settled = call_store.again_write(found.id, attempt, failure, again_at)
    else:
        settled = call_store.failed_write(found.id, attempt, failure, now)
    health = call_store.health_write(found.endpoint_id, found.fingerprint, failure, now)
    lib.express.commit([settled, health])
    log.info("hook call %s, attempt %d: %s", found.id, attempt, " ".join(failure or ("taken",)))
