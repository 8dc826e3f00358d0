"""Every call of `/api/v1` goes on record as `api.request`: who, which route, what came of it, how long.

Never a body, a query or what stands in a path. What senders deliver is on record as deliveries.
"""

from __future__ import annotations

import time

from flask import Flask, Response, g, request

from switchboard.api import hooks
from switchboard.api.context import NOBODY, plumbing
from switchboard.events import calls
from switchboard.lib import clock

_EMPTY = ("agents.claim_next", 204)  # an agent that polls


def register(app: Flask) -> None:
    """Put the calls of this application on record."""
    app.before_request(_start)
    app.after_request(_record)


def _start() -> None:
    g.started = time.perf_counter()


def _record(response: Response) -> Response:
    rule = request.url_rule
    if rule is None or request.method == "OPTIONS" or not rule.rule.startswith("/api/v1/"):
        return response
    if request.blueprint == hooks.bp.name:
        return response
    who, status = g.get("caller", NOBODY), response.status_code
    call = calls.Call(
        actor=who.actor,
        owner_id=who.owner_id,
        method=request.method,
        path=rule.rule,
        status=status,
        duration_ms=round((time.perf_counter() - g.started) * 1000),
        at=clock.now(),
    )
    changed_nothing = request.method in ("GET", "HEAD") or status >= 400
    calls.record(plumbing(), call, folds=changed_nothing or (request.endpoint, status) == _EMPTY)
    return response
