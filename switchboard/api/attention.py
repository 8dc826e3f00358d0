"""What needs the operator (`sbp_…`)."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from switchboard.api.context import operator, plumbing
from switchboard.attention.gather import gather

bp = Blueprint("attention", __name__, url_prefix="/api/v1")


@bp.get("/attention")
def list_attention() -> Response:
    """Everything that needs the operator, whole: the list is derived anew each time."""
    who, base_url = operator(), plumbing().settings.base_url
    needs = [need.as_dict(base_url) for need in gather(plumbing(), who)]
    return jsonify(attention=needs, next=None)
