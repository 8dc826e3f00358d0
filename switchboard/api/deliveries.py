"""The delivery log for operators (`sbp_…`): read it, and send one delivery through again."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from switchboard.api.context import operator, page_arguments, plumbing
from switchboard.inbound import deliveries, replay

bp = Blueprint("deliveries", __name__, url_prefix="/api/v1")


@bp.get("/deliveries")
def list_deliveries() -> Response:
    """The delivery log, newest first, with its filters."""
    who = operator()
    after, limit = page_arguments()
    wanted = {name: request.args[name] for name in deliveries.FILTERS if name in request.args}
    page = deliveries.search(plumbing(), who, wanted, after=after, limit=limit)
    return jsonify(deliveries=page.deliveries, next=page.next)


@bp.get("/deliveries/<delivery_id>")
def get_delivery(delivery_id: str) -> Response:
    """One delivery with headers and body."""
    return jsonify(deliveries.whole(plumbing(), operator(), delivery_id))


@bp.post("/deliveries/<delivery_id>/replay")
def replay_delivery(delivery_id: str) -> tuple[Response, int]:
    """A new delivery from an old one, whatever becomes of it."""
    return jsonify(replay.replay(plumbing(), operator(), delivery_id)), 201
