"""The connection family: the owner's outbound credentials, stored and replaced, never read back."""

from __future__ import annotations

from typing import Any

from switchboard.mcp import schemas
from switchboard.mcp.caller import Caller
from switchboard.mcp.tools import Family, Result, Tool
from switchboard.vault import by_agents, connections, given

INSTRUCTIONS = """\
Connections are the credentials that answers are posted with. You can store and replace one of your \
owner's; nobody can read one back. Never write a credential anywhere but into the secret argument."""


def _list(by: Caller) -> Result:
    return {"connections": by_agents.list_connections(by.lib, by.agent), "next": None}


def _create(by: Caller, config: dict[str, Any] | None = None, **wanted: Any) -> Result:
    new = connections.NewConnection(**wanted, **(config or {}))
    return by_agents.create_connection(by.lib, by.agent, new)


def _rotate(by: Caller, connection_id: str, secret: str) -> Result:
    return by_agents.rotate_connection(by.lib, by.agent, connection_id, secret)


def _delete(by: Caller, connection_id: str) -> Result:
    return by_agents.delete_connection(by.lib, by.agent, connection_id)


_CONNECTION_ID = schemas.text("The connection's id, or its name.")
_SECRET = schemas.text(
    "The token itself. It is sealed, and in no answer ever after.", given.MAX_SECRET
)


def _names(description: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "string", "maxLength": given.MAX_TARGET},
        "maxItems": given.MAX_LIST,
        "description": description,
    }


_CONFIG = {
    "type": "object",
    "properties": {
        "targets": _names(
            "Where it may post: owner/repo globs, channels or artifact ids; empty: everywhere."
        ),
        "endpoints": _names(
            "Which endpoints may use it, by name or id; empty: all of the owner's."
        ),
        "signature": schemas.text("A line put under every answer.", given.MAX_SIGNATURE),
    },
    "additionalProperties": False,
    "description": "Limits of its use; left out: none.",
}

LIST_CONNECTIONS = Tool(
    name="list_connections",
    title="List connections",
    description=(
        "Your owner's connections, by name, kind, account_key and fingerprint, with the outcome of their "
        "last test. No secret is in it."
    ),
    run=_list,
    read_only=True,
)

CREATE_CONNECTION = Tool(
    name="create_connection",
    title="Store a credential",
    description=(
        "Store a credential of your owner's, with which todos of that account are answered from then on. "
        "One connection a kind and account."
    ),
    run=_create,
    arguments={
        "kind": schemas.text(
            "github, gitea, slack, cairn, or gotify, apprise, notify for notifications."
        ),
        "name": schemas.text("A name of your choice: lower case letters, digits, dashes."),
        "account_key": schemas.text(
            "Whose account: github a host (github.com) or an Enterprise base URL; gitea, cairn, gotify, "
            "apprise the base URL; notify the URL that takes notifications; slack the team id."
        ),
        "secret": _SECRET,
        "config": _CONFIG,
    },
    required=("kind", "name", "account_key", "secret"),
)

ROTATE_CONNECTION = Tool(
    name="rotate_connection",
    title="Replace a credential",
    description=(
        "Replace the secret of a connection. The old one is gone at once. forbidden: a human keeps it for "
        "other endpoints."
    ),
    run=_rotate,
    arguments={"connection_id": _CONNECTION_ID, "secret": _SECRET},
    required=("connection_id", "secret"),
    destructive=True,
    repeatable=True,
)

DELETE_CONNECTION = Tool(
    name="delete_connection",
    title="Delete a connection",
    description=(
        "Forget a connection and its secret. Todos of that account can no longer be answered. forbidden: "
        "it is narrowed to targets or endpoints, so only a human can."
    ),
    run=_delete,
    arguments={"connection_id": _CONNECTION_ID},
    required=("connection_id",),
    destructive=True,
)

FAMILY = Family(
    tools=(LIST_CONNECTIONS, CREATE_CONNECTION, ROTATE_CONNECTION, DELETE_CONNECTION),
    instructions=INSTRUCTIONS,
)
