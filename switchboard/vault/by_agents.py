"""The four connection verbs an agent may be granted: it can store and replace a credential of its
endpoint's owner, and still never reads one back or widens what one may be used for.

Each raises Forbidden without the grant, else as the function of the same name in `connections.py`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from switchboard.access import owners
from switchboard.access.principals import Agent, Deputy
from switchboard.errors import Forbidden, Invalid
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Connection
from switchboard.vault import connections

FAMILY = "connection"


def list_connections(lib: Plumbing, agent: Agent) -> list[dict[str, Any]]:
    """The owner's connections by fingerprint, oldest first."""
    return connections.in_view(lib, _deputy(agent))


def create_connection(
    lib: Plumbing, agent: Agent, new: connections.NewConnection
) -> dict[str, Any]:
    """Seal and keep a credential for the owner, whoever `new.owner` says.

    Raises Invalid for a cap: how many answers a todo takes is a human's to raise.
    """
    deputy = _deputy(agent)
    if new.replies_per_todo is not None:
        raise Invalid("Only a human sets how many answers a todo takes.", field="replies_per_todo")
    owner = owners.labels(lib, [agent.owner_id])[agent.owner_id]
    return connections.add(lib, deputy, replace(new, owner=owner))


def rotate_connection(lib: Plumbing, agent: Agent, ref: str, secret: str) -> dict[str, Any]:
    """Replace a credential of the owner's. Raises Forbidden where others alone answer through it."""

    def unless(connection: Connection) -> None:
        if connection.endpoints and agent.endpoint_id not in connection.endpoints:
            raise Forbidden("A human keeps this connection for other endpoints.")

    return connections.rotate(lib, _deputy(agent), ref, secret, unless=unless)


def delete_connection(lib: Plumbing, agent: Agent, ref: str) -> dict[str, Any]:
    """Forget a connection of the owner's. Raises Forbidden for one that was narrowed.

    Else an agent could take it away and put a wider one in its place.
    """
    return connections.delete(lib, _deputy(agent), ref, unless=_narrowed)


def _narrowed(connection: Connection) -> None:
    if connection.targets or connection.endpoints or connection.replies_per_todo is not None:
        raise Forbidden("This connection was narrowed. A human can delete it.")


def _deputy(agent: Agent) -> Deputy:
    agent.require(FAMILY)
    return agent.deputy()
