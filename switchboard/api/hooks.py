"""`POST /hooks/<token>`: where providers deliver."""

from __future__ import annotations

from typing import cast

from flask import Blueprint, Response, current_app, jsonify, request
from requests.structures import CaseInsensitiveDict

from switchboard.api import bodies
from switchboard.api.context import plumbing
from switchboard.errors import Problem
from switchboard.inbound.draft import Incoming
from switchboard.inbound.receive import Answer, receive

bp = Blueprint("hooks", __name__)


@bp.post("/hooks/<token>")
def deliver(token: str) -> Response:
    """Take one delivery; the answer says what it became or why not."""
    raw, problem = _read()
    incoming = Incoming(
        token=token,
        headers=CaseInsensitiveDict(request.headers.items()),
        raw=raw,
        remote_addr=request.remote_addr or "",
        problem=problem,
    )
    return _render(receive(plumbing(), incoming), close=problem is not None)


def _read() -> tuple[bytes, Problem | None]:
    deadlines = cast(bodies.ReadDeadlines, current_app.extensions["switchboard.deadlines"])
    try:
        return bodies.read(request, plumbing().settings["MAX_HOOK_BYTES"], deadlines), None
    except Problem as problem:
        return b"", problem


def _render(answer: Answer, *, close: bool) -> Response:
    response = jsonify(answer.body)
    response.status_code = answer.status
    if answer.status >= 400:
        response.mimetype = "application/problem+json"
    if answer.retry_after is not None:
        response.headers["Retry-After"] = str(answer.retry_after)
    if close:
        # what is left of a body we did not read must not be taken for the next request
        response.headers["Connection"] = "close"
    return response
