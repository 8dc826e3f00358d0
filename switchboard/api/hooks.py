"""Where senders deliver: `POST /hooks/<token>`, and by name for sources that are filed under a repo."""

from __future__ import annotations

from flask import Blueprint, Response, request
from requests.structures import CaseInsensitiveDict

from switchboard.api import problems
from switchboard.api.context import plumbing, taken_body
from switchboard.inbound.draft import Incoming
from switchboard.inbound.receive import receive
from switchboard.lib.pacing import Held

bp = Blueprint("hooks", __name__)


@bp.post("/hooks/<token>")
def deliver(token: str) -> Response:
    """Take one delivery of a provider; the answer says what it became or why not."""
    return _take("MAX_HOOK_BYTES", token=token)


@bp.post("/api/v1/r/<path:repo>/inbound/<source>")
def deliver_signed(repo: str, source: str) -> Response:
    """Take one delivery of the source of that name filed under the repo."""
    return _take("MAX_SIGNED_BYTES", place=(repo, source))


def _take(
    limit: str, *, token: str | None = None, place: tuple[str, str] | None = None
) -> Response:
    taken = taken_body(plumbing().settings[limit])
    incoming = Incoming(
        token=token,
        place=place,
        headers=CaseInsensitiveDict(request.headers.items()),
        raw=taken.raw,
        remote_addr=request.remote_addr or "",
        received=taken.received,
        problem=taken.problem,
    )
    answer = receive(plumbing(), incoming)
    if answer.hurried and (connection := request.environ.get("gunicorn.socket")):
        plumbing().own(Held).hold(connection)
    return problems.respond(answer.status, answer.body, answer.retry_after)
