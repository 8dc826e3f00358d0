"""What operators call with `sbp_…`: deliveries, connections, sources, endpoints, retry of a todo."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, request
from marshmallow import Schema, fields

from switchboard.access import endpoints
from switchboard.api.context import Whole, json_body, operator, page_arguments, plumbing
from switchboard.inbound import deliveries, source_changes, source_views, sources
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


class SourceBody(Schema):
    """`{owner?, kind, name, host?, repos?, letters?, secret?, to?, repo?, red_opens_todo?}`"""

    owner = fields.Dict(load_default=None, allow_none=True)
    kind = fields.String(required=True)
    name = fields.String(required=True)
    host = fields.String(load_default="")
    repos = fields.List(fields.String(), load_default=list)
    letters = fields.String(load_default=None, allow_none=True)
    repo = fields.String(load_default=None, allow_none=True)
    red_opens_todo = fields.Boolean(load_default=False)
    secret = fields.String(load_default=None, allow_none=True)
    to = fields.List(fields.String(), load_default=list)


class SourceEditBody(Schema):
    """`{to?, repos?, host?, letters?, rules?, red_opens_todo?, state?}`"""

    host = fields.String()
    rules = fields.List(fields.Dict())
    red_opens_todo = fields.Boolean()
    to = fields.List(fields.String())
    repos = fields.List(fields.String())
    letters = fields.String()
    state = fields.String()


class SourceSecretBody(Schema):
    """`{secret?}`; without it one is made."""

    secret = fields.String(load_default=None, allow_none=True)


@bp.get("/deliveries")
def list_deliveries() -> Response:
    """The delivery log, newest first, filtered by status, code, kind, source, event."""
    who = operator()
    after, limit = page_arguments()
    wanted = {name: request.args[name] for name in deliveries.FILTERS if name in request.args}
    page = deliveries.search(plumbing(), who, wanted, after=after, limit=limit)
    return jsonify(deliveries=page.deliveries, next=page.next)


@bp.get("/deliveries/<delivery_id>")
def get_delivery(delivery_id: str) -> Response:
    """One delivery with headers and body."""
    return jsonify(deliveries.whole(plumbing(), operator(), delivery_id))


@bp.get("/connections")
def list_connections() -> Response:
    """Connections, by fingerprint."""
    return _whole_list("connections", connections.in_view(plumbing(), operator()))


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


@bp.get("/sources")
def list_sources() -> Response:
    """Sources with their ingest URLs."""
    return _whole_list("sources", source_views.in_view(plumbing(), operator()))


@bp.post("/sources")
def add_source() -> tuple[Response, int]:
    """Add a source; its secret stands in this answer only."""
    who, body = operator(), json_body(SourceBody())
    added = sources.add(plumbing(), who, sources.NewSource(**body))
    return jsonify(added.source | {"secret": added.secret}), 201


@bp.patch("/sources/<ref>")
def edit_source(ref: str) -> Response:
    """Change a source's targets, pins or letters; pause or resume it."""
    who, body = operator(), json_body(SourceEditBody())
    return jsonify(source_changes.edit(plumbing(), who, ref, body))


@bp.put("/sources/<ref>/secret")
def rotate_source(ref: str) -> Response:
    """Give a source a new secret, which stands in this answer only."""
    who, body = operator(), json_body(SourceSecretBody())
    rotated = source_changes.rotate(plumbing(), who, ref, body["secret"])
    return jsonify(rotated.source | {"secret": rotated.secret})


@bp.delete("/sources/<ref>")
def revoke_source(ref: str) -> tuple[str, int]:
    """End a source."""
    source_changes.set_state(plumbing(), operator(), ref, "revoked")
    return "", 204


@bp.get("/endpoints")
def list_endpoints() -> Response:
    """Endpoints, without credentials."""
    return _whole_list("endpoints", endpoints.in_view(plumbing(), operator()))


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


def _whole_list(noun: str, rows: list[dict[str, Any]]) -> Response:
    """A list, by id, that one owner keeps short by hand, paged all the same."""
    after, limit = page_arguments()
    left = [row for row in rows if after is None or row["id"] > after]
    shown = left[:limit]
    return jsonify({noun: shown, "next": shown[-1]["id"] if len(left) > limit else None})
