"""What operators call with `sbp_…`: endpoints, retry of a todo."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from marshmallow import Schema, fields

from switchboard.access import endpoints
from switchboard.api.context import Whole, json_body, operator, plumbing, whole_list
from switchboard.todos import leases

bp = Blueprint("operators", __name__, url_prefix="/api/v1")


class CeilingBody(Schema):
    """`{webhooks?, kinds?, queues?}`"""

    webhooks = Whole(0)
    kinds = fields.List(fields.String(), load_default=None, allow_none=True)
    queues = fields.List(fields.String(), load_default=None, allow_none=True)


class EndpointBody(Schema):
    """`{owner?, name, queues?, verbs?, expires_in?, ceiling?}`"""

    owner = fields.Dict(load_default=None, allow_none=True)
    name = fields.String(required=True)
    queues = fields.List(fields.String(), load_default=list)
    verbs = fields.List(fields.String(), load_default=lambda: ["drain"])
    expires_in = Whole()
    ceiling = fields.Nested(CeilingBody, load_default=None, allow_none=True)


@bp.get("/endpoints")
def list_endpoints() -> Response:
    """Endpoints, without credentials."""
    return whole_list("endpoints", endpoints.in_view(plumbing(), operator()))


@bp.post("/endpoints")
def vend_endpoint() -> tuple[Response, int]:
    """Vend an endpoint; its credential stands in this answer only."""
    who, body = operator(), json_body(EndpointBody())
    vended = endpoints.vend(plumbing(), who, body.pop("name"), **body)
    return jsonify(vended.endpoint | {"credential": vended.credential}), 201


@bp.delete("/endpoints/<ref>")
def revoke_endpoint(ref: str) -> tuple[str, int]:
    """End an endpoint."""
    endpoints.revoke(plumbing(), operator(), ref)
    return "", 204


@bp.post("/todos/<todo_id>/retry")
def retry_todo(todo_id: str) -> Response:
    """Put a failed todo back."""
    return jsonify(leases.retry(plumbing(), operator(), todo_id))
