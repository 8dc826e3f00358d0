"""The webhook verbs of agents (`sbk_…`): sources an agent makes for itself, within its ceiling."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from marshmallow import Schema, fields

from switchboard.api.context import agent, agent_with, json_body, plumbing, whole_list
from switchboard.inbound import by_agents
from switchboard.inbound.sources import Added

bp = Blueprint("webhooks", __name__, url_prefix="/api/v1")


class WebhookBody(Schema):
    """`{kind, name, queue?, host?, repos?, secret?}`"""

    kind = fields.String(required=True)
    name = fields.String(required=True)
    queue = fields.String(load_default=None, allow_none=True)
    host = fields.String(load_default="")
    repos = fields.List(fields.String(), load_default=list)
    secret = fields.String(load_default=None, allow_none=True)


class WebhookSecretBody(Schema):
    """`{secret}`"""

    secret = fields.String(required=True)


@bp.get("/webhooks")
def list_webhooks() -> Response:
    """The webhooks this endpoint made."""
    return whole_list("webhooks", by_agents.list_webhooks(plumbing(), agent()))


@bp.post("/webhooks")
def create_webhook() -> tuple[Response, int]:
    """Make one; its secret stands in this answer only."""
    by, body = agent_with(by_agents.FAMILY), json_body(WebhookBody())
    return _once(by_agents.create_webhook(plumbing(), by, by_agents.NewWebhook(**body))), 201


@bp.post("/webhooks/<ref>/rotate")
def rotate_webhook(ref: str) -> Response:
    """Give it a fresh secret, which stands in this answer only."""
    return _once(by_agents.rotate_webhook(plumbing(), agent(), ref))


def _once(added: Added) -> Response:
    return jsonify(added.source | {"secret": added.secret})


@bp.put("/webhooks/<ref>/secret")
def set_webhook_secret(ref: str) -> tuple[str, int]:
    """Give it the secret that the provider issued."""
    by, secret = agent_with(by_agents.FAMILY), json_body(WebhookSecretBody())["secret"]
    by_agents.set_webhook_secret(plumbing(), by, ref, secret)
    return "", 204


@bp.delete("/webhooks/<ref>")
def delete_webhook(ref: str) -> tuple[str, int]:
    """End one."""
    by_agents.delete_webhook(plumbing(), agent(), ref)
    return "", 204
