"""From a reply address to the one connection that may serve it: an exact match or a refusal."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from sqlalchemy.orm import Session

from switchboard.errors import Forbidden, Invalid, RateLimited
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import admitted
from switchboard.models import Connection
from switchboard.providers import answering_kind
from switchboard.vault import connections


def connection_for(
    lib: Plumbing,
    session: Session,
    owner_id: str,
    address: Mapping[str, Any],
    *,
    endpoint_id: str | None,
    agent_knows_secret: bool,
) -> Connection:
    """The connection of the owner for the address; `endpoint_id` is None where no agent asks for it.

    Raises Invalid `no_connection`, Forbidden `target_not_allowed`. What came from a source whose secret
    an agent knows needs a targets allowlist that admits it, written by a human: an agent could have aimed
    the body, and the allowlist as well.
    """
    kind = address["provider"]
    provider = answering_kind(lib.settings, kind)
    host = provider.address_host(address)
    connection = connections.for_account(session, owner_id, kind, host)
    if connection is None:
        raise no_connection(f"The owner has no {kind} connection for {host}.")
    target = provider.target_of(address)
    narrowed = bool(connection.targets) or agent_knows_secret
    exactly = provider.exact_targets
    if narrowed and not admitted(target, connection.targets, exactly=exactly):
        raise _not_allowed(f"The connection {connection.name} does not admit {target}.")
    if agent_knows_secret and connection.targets_by_agent:
        raise _not_allowed(f"An agent wrote the targets of the connection {connection.name}.")
    if endpoint_id and connection.endpoints and endpoint_id not in connection.endpoints:
        raise _not_allowed(f"The connection {connection.name} is not for this endpoint.")
    return connection


def no_connection(detail: str) -> Invalid:
    """The refusal where there is no credential to answer with."""
    return Invalid(f"{detail} A human can add one.", "no_connection")


def _not_allowed(detail: str) -> Forbidden:
    return Forbidden(f"{detail} A human can widen its allowlist.", "target_not_allowed")


def refuse_closed(connection: Connection) -> None:
    """Raise RateLimited while the provider asked this connection to pause."""
    if connection.closed_until and connection.closed_until > clock.now():
        pause = ceil((connection.closed_until - clock.now()).total_seconds())
        raise RateLimited(
            f"The provider asked the connection {connection.name} to pause.", retry_after=pause
        )
