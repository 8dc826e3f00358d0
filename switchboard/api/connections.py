"""Connections for operators (`sbp_…`) and, four of the verbs, for agents granted them (`sbk_…`)."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify
from marshmallow import Schema, fields, missing

from switchboard.api.context import (
    Whole,
    agent,
    agent_with,
    by_agent,
    json_body,
    operator,
    plumbing,
    whole_list,
)
from switchboard.vault import by_agents, connections, testing

bp = Blueprint("connections", __name__, url_prefix="/api/v1")


class ConfigBody(Schema):
    """A connection's allowlists, signature line and cap."""

    targets = fields.List(fields.String())
    endpoints = fields.List(fields.String())
    signature = fields.String(allow_none=True)
    replies_per_todo = Whole(absent=missing)


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


@bp.get("/connections")
def list_connections() -> Response:
    """Connections, by fingerprint."""
    if by_agent():
        return whole_list("connections", by_agents.list_connections(plumbing(), agent()))
    return whole_list("connections", connections.in_view(plumbing(), operator()))


@bp.post("/connections")
def add_connection() -> tuple[Response, int]:
    """Seal and keep a credential; an agent's is its endpoint's owner's."""
    if by_agent():
        made = by_agents.create_connection(
            plumbing(), agent_with(by_agents.FAMILY), _new_connection()
        )
    else:
        made = connections.add(plumbing(), operator(), _new_connection())
    return jsonify(made), 201


def _new_connection() -> connections.NewConnection:
    body = json_body(ConnectionBody())
    config = body.pop("config")
    return connections.NewConnection(**body, **config)


@bp.patch("/connections/<ref>")
def edit_connection(ref: str) -> Response:
    """Change a connection's name, allowlists, cap or signature."""
    who, body = operator(), json_body(EditBody())
    changes: dict[str, Any] = dict(body["config"])
    if "name" in body:
        changes["name"] = body["name"]
    return jsonify(connections.edit(plumbing(), who, ref, changes))


@bp.put("/connections/<ref>/secret")
def rotate_connection(ref: str) -> tuple[str, int]:
    """Replace the credential."""
    if by_agent():
        by, secret = agent_with(by_agents.FAMILY), json_body(SecretBody())["secret"]
        by_agents.rotate_connection(plumbing(), by, ref, secret)
    else:
        who, secret = operator(), json_body(SecretBody())["secret"]
        connections.rotate(plumbing(), who, ref, secret)
    return "", 204


@bp.delete("/connections/<ref>")
def delete_connection(ref: str) -> tuple[str, int]:
    """Forget a connection."""
    if by_agent():
        by_agents.delete_connection(plumbing(), agent(), ref)
    else:
        connections.delete(plumbing(), operator(), ref)
    return "", 204


@bp.post("/connections/<ref>/test")
def test_connection(ref: str) -> Response:
    """One harmless authenticated read."""
    return jsonify(testing.test(plumbing(), operator(), ref))
