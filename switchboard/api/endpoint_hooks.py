"""Notify hooks of endpoints, for operators (`sbp_…`): no grant of an agent covers them."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from marshmallow import Schema, fields

from switchboard.api.context import json_body, operator, plumbing
from switchboard.notify import hooks

bp = Blueprint("endpoint_hooks", __name__, url_prefix="/api/v1/endpoints/<ref>/hook")


class HookBody(Schema):
    """`{url}`"""

    url = fields.String(required=True)


@bp.get("")
def get_hook(ref: str) -> Response:
    """The hook, by fingerprint, and how its calls go."""
    return jsonify(hooks.get(plumbing(), operator(), ref))


@bp.put("")
def put_hook(ref: str) -> Response:
    """Give the endpoint this hook; its secret stands in this answer only."""
    who, body = operator(), json_body(HookBody())
    return _once(hooks.put(plumbing(), who, ref, body["url"]))


@bp.post("/rotate")
def rotate_hook(ref: str) -> Response:
    """A new secret, which stands in this answer only."""
    return _once(hooks.rotate(plumbing(), operator(), ref))


def _once(made: hooks.Made) -> Response:
    return jsonify(made.hook | {"secret": made.secret})


@bp.post("/test")
def test_hook(ref: str) -> Response:
    """Call it once."""
    return jsonify(hooks.test(plumbing(), operator(), ref))


@bp.delete("")
def remove_hook(ref: str) -> tuple[str, int]:
    """Forget it and its secret."""
    hooks.remove(plumbing(), operator(), ref)
    return "", 204
