"""Where mail is posted: raw by a mail server or a script, by Postmark, and a notify service's events."""

from __future__ import annotations

from flask import Blueprint, Response, request
from requests.structures import CaseInsensitiveDict

from switchboard.api import problems
from switchboard.api.context import plumbing, taken_body
from switchboard.mail.arrival import Arrival
from switchboard.mail.receive import receive
from switchboard.providers.email import NOTIFY, POSTMARK, RAW, Transport

bp = Blueprint("mail", __name__)

WRAPPED = 2  # a mail inside JSON is longer than it is: each of its lines ends in an escape


@bp.post("/api/v1/inbound/email")
def take_raw() -> Response:
    """Take one mail as it is (message/rfc822), its envelope in headers of the request."""
    return _take(RAW, plumbing().settings["MAX_MAIL_BYTES"])


@bp.post("/api/v1/inbound/email/postmark")
def take_postmark() -> Response:
    """Take one mail as Postmark's inbound webhook posts it."""
    return _take(POSTMARK, plumbing().settings["MAX_MAIL_BYTES"] * WRAPPED)


@bp.post("/api/v1/notify/events")
def take_event() -> Response:
    """Take one event of a notify service's delivery stream."""
    return _take(NOTIFY, plumbing().settings["MAX_SIGNED_BYTES"])


def _take(transport: Transport, limit: int) -> Response:
    taken = taken_body(limit)
    arrival = Arrival(
        transport,
        CaseInsensitiveDict(request.headers.items()),
        taken.raw,
        request.remote_addr or "",
        taken.received,
        taken.problem,
    )
    answer = receive(plumbing(), arrival)
    return problems.respond(answer.status, answer.body, answer.retry_after)
