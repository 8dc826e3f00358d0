"""The webhook family: sources that an agent makes for itself, within the ceiling it was vended with."""

from __future__ import annotations

from typing import Any

from switchboard.inbound import by_agents
from switchboard.inbound.source_checks import MAX_SECRET
from switchboard.inbound.sources import Added
from switchboard.mcp import schemas
from switchboard.mcp.caller import Caller
from switchboard.mcp.tools import Family, Result, Tool

INSTRUCTIONS = """\
With create_webhook you let a provider write in: it answers an address and a secret, once, and the steps \
to enter them at the provider. What arrives there becomes your todos. Todos of a webhook whose secret you \
know are answered only through a connection that a human narrowed to targets."""


def _list(by: Caller) -> Result:
    return {"webhooks": by_agents.list_webhooks(by.lib, by.agent), "next": None}


def _create(by: Caller, **wanted: Any) -> Result:
    return _once(by_agents.create_webhook(by.lib, by.agent, by_agents.NewWebhook(**wanted)))


def _rotate(by: Caller, webhook_id: str) -> Result:
    return _once(by_agents.rotate_webhook(by.lib, by.agent, webhook_id))


def _once(added: Added) -> Result:
    return added.source | {"secret": added.secret}


def _set_secret(by: Caller, webhook_id: str, secret: str) -> Result:
    return by_agents.set_webhook_secret(by.lib, by.agent, webhook_id, secret)


def _delete(by: Caller, webhook_id: str) -> Result:
    return by_agents.delete_webhook(by.lib, by.agent, webhook_id)


_WEBHOOK_ID = schemas.text("The webhook's id, or its name.")

LIST_WEBHOOKS = Tool(
    name="list_webhooks",
    title="List webhooks",
    description="The webhooks you made, with their addresses and state. No secret is in it.",
    run=_list,
    read_only=True,
)

CREATE_WEBHOOK = Tool(
    name="create_webhook",
    title="Make a webhook",
    description=(
        "Make an address that a provider can write to. Its secret stands in this answer and in no other; "
        "`steps` say where to enter both. How many, of which kinds and onto which of your queues is "
        "limited: ceiling_exceeded or forbidden_source_type says so."
    ),
    run=_create,
    arguments={
        "kind": schemas.text("github, gitea, slack, cairn, or generic (never answered)."),
        "name": schemas.text("A name of your choice: letters, digits, dots, dashes, underscores."),
        "queue": schemas.text("Which of your queues its todos go to; left out: your first."),
        "host": schemas.text(
            "The provider's host, or Slack's team id, cairn's base URL; left out: the kind's usual one."
        ),
        "repos": {
            "type": "array",
            "items": {"type": "string", "maxLength": 255},
            "maxItems": 100,
            "description": "Only these repositories may be answered, as owner/name globs; empty: all.",
        },
        "secret": schemas.text(
            "The signing secret, if the provider issues it (Slack).", MAX_SECRET
        ),
    },
    required=("kind", "name"),
)

ROTATE_WEBHOOK = Tool(
    name="rotate_webhook",
    title="Give a webhook a new secret",
    description="Make a new secret, which stands in this answer only. The old one is good for a while yet.",
    run=_rotate,
    arguments={"webhook_id": _WEBHOOK_ID},
    required=("webhook_id",),
    destructive=True,
)

SET_WEBHOOK_SECRET = Tool(
    name="set_webhook_secret",
    title="Set a webhook's secret",
    description="Store the signing secret that the provider issued, in place of the one there is.",
    run=_set_secret,
    arguments={
        "webhook_id": _WEBHOOK_ID,
        "secret": schemas.text(
            "The secret. It is sealed, and in no answer ever after.", MAX_SECRET
        ),
    },
    required=("webhook_id", "secret"),
    destructive=True,
    repeatable=True,
)

DELETE_WEBHOOK = Tool(
    name="delete_webhook",
    title="Delete a webhook",
    description="End a webhook for good; what arrives there is refused. Its todos stay.",
    run=_delete,
    arguments={"webhook_id": _WEBHOOK_ID},
    required=("webhook_id",),
    destructive=True,
)

FAMILY = Family(
    tools=(LIST_WEBHOOKS, CREATE_WEBHOOK, ROTATE_WEBHOOK, SET_WEBHOOK_SECRET, DELETE_WEBHOOK),
    instructions=INSTRUCTIONS,
)
