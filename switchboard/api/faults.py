"""The faults in an operator's view (`sbp_…`)."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from switchboard.api.context import operator, page_arguments, plumbing
from switchboard.faults import book

bp = Blueprint("faults", __name__, url_prefix="/api/v1")


@bp.get("/faults")
def list_faults() -> Response:
    """Faults, newest first, by state and by what they are about."""
    who = operator()
    after, limit = page_arguments()
    page = book.in_view(
        plumbing(),
        who,
        state=request.args.get("state") or None,
        about=request.args.get("about") or None,
        after=after,
        limit=limit,
    )
    return jsonify(faults=page.faults, next=page.next)
