"""`POST /hooks/<token>`: where providers deliver."""

from __future__ import annotations

from flask import Blueprint, Response, request
from requests.structures import CaseInsensitiveDict

from switchboard.api import problems
from switchboard.api.context import plumbing, raw_body
from switchboard.errors import Problem
from switchboard.inbound.draft import Incoming
from switchboard.inbound.receive import receive

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
    answer = receive(plumbing(), incoming)
    return problems.respond(answer.status, answer.body, answer.retry_after)


def _read() -> tuple[bytes, Problem | None]:
    try:
        return raw_body(plumbing().settings["MAX_HOOK_BYTES"]), None
    except Problem as problem:
        return b"", problem
