"""The event log in an operator's view (`sbp_…`)."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, Response, jsonify, request

from switchboard.access import audit
from switchboard.api.context import operator, page_arguments, plumbing
from switchboard.errors import Invalid
from switchboard.lib import clock

bp = Blueprint("events", __name__, url_prefix="/api/v1")


@bp.get("/events")
def list_events() -> Response:
    """What was done, newest first, by type, by what it was done to, by work item, and since when."""
    who = operator()
    after, limit = page_arguments()
    page = audit.in_view(
        plumbing(),
        who,
        type=request.args.get("type") or None,
        about=request.args.get("about") or None,
        ref=request.args.get("ref") or None,
        since=_since(request.args.get("since")),
        after=after,
        limit=limit,
    )
    return jsonify(events=page.events, next=page.next)


def _since(given: str | None) -> datetime | None:
    try:
        return clock.moment(given) if given else None
    except ValueError as error:
        raise Invalid(f"since: {error}.", field="since") from None
