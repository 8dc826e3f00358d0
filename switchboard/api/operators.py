"""What operators call with `sbp_…`: connections, endpoints, retry of a todo."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify
from marshmallow import Schema, fields

from switchboard.access import endpoints
from switchboard.api.context import Whole, json_body, operator, plumbing, whole_list
from switchboard.todos import leases
from switchboard.vault import connections

bp = Blueprint("operators", __name__, url_prefix="/api/v1")

_CONFIG = ("targets", "endpoints", "signature")


class ConfigBody(Schema):
    """A connection's allowlists and signature line."""

    targets = fields.List(fields.String())
    endpoints = fields.List(fields.String())
    signature = fields.String(allow_none=True)


class ConnectionBody(Schema):
    """`{owner?, kind, name, account_key, secret, config?}`"""

    owner = fields.Dict(load_default=None, allow_none=True)
    kind = fields.String(required=True)
    name = fields.String(required=True)
    account_key = fields.String(required=True)
    secret = fields.String(required=True)
    config = fields.Nested(ConfigBody, load_default=dict)


class EditBody(Schema):
    """`{name?, config?}`; there is no secret field on purpose."""

    name = fields.String()
    config = fields.Nested(ConfigBody, load_default=dict)


class SecretBody(Schema):
    """`{secret}`"""

    secret = fields.String(required=True)


class EndpointBody(Schema):
    """`{owner?, name, queues?, verbs?, expires_in?}`"""

    owner = fields.Dict(load_default=None, allow_none=True)
    name = fields.String(required=True)
    queues = fields.List(fields.String(), load_default=list)
    verbs = fields.List(fields.String(), load_default=lambda: ["drain"])
    expires_in = Whole()


@bp.get("/connections")
def list_connections() -> Response:
    """Connections, by fingerprint."""
    return whole_list("connections", connections.in_view(plumbing(), operator()))


@bp.post("/connections")
def add_connection() -> tuple[Response, int]:
    """Seal and keep a credential."""
    who, body = operator(), json_body(ConnectionBody())
    config = body.pop("config")
    new = connections.NewConnection(**body, **config)
    return jsonify(connections.add(plumbing(), who, new)), 201


@bp.patch("/connections/<ref>")
def edit_connection(ref: str) -> Response:
    """Change a connection's name, allowlists or signature."""
    who, body = operator(), json_body(EditBody())
    changes: dict[str, Any] = dict(body["config"])
    if "name" in body:
        changes["name"] = body["name"]
    return jsonify(connections.edit(plumbing(), who, ref, changes))


@bp.put("/connections/<ref>/secret")
def rotate_connection(ref: str) -> tuple[str, int]:
    """Replace the credential."""
    who, body = operator(), json_body(SecretBody())
    connections.rotate(plumbing(), who, ref, body["secret"])
    return "", 204


@bp.delete("/connections/<ref>")
def delete_connection(ref: str) -> tuple[str, int]:
    """Forget a connection."""
    connections.delete(plumbing(), operator(), ref)
    return "", 204


@bp.post("/connections/<ref>/test")
def test_connection(ref: str) -> Response:
    """One harmless authenticated read."""
    return jsonify(connections.test(plumbing(), operator(), ref))


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
