"""From a reply address to the one connection that may serve it: an exact match or a refusal."""

from __future__ import annotations

from math import ceil

from sqlalchemy.orm import Session

from switchboard.errors import Forbidden, Invalid, RateLimited
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import admitted
from switchboard.models import Connection, Todo
from switchboard.providers import answering_kind
from switchboard.vault import connections


def connection_for(
    lib: Plumbing, session: Session, todo: Todo, *, agent_knows_secret: bool
) -> Connection:
    """The connection of the todo's owner for the todo's address.

    Raises Invalid `no_connection`, Forbidden `target_not_allowed`. A todo from a source whose secret
    an agent knows needs a targets allowlist that admits it: the agent could have aimed the body.
    """
    assert todo.reply_to is not None
    kind = todo.reply_to["provider"]
    provider = answering_kind(lib.settings, kind)
    host = provider.address_host(todo.reply_to)
    owner_id = todo.owner_account_id or todo.owner_team_id or ""
    connection = connections.for_account(session, owner_id, kind, host)
    if connection is None:
        raise no_connection(f"The owner has no {kind} connection for {host}.")
    target = provider.target_of(todo.reply_to)
    narrowed = bool(connection.targets) or agent_knows_secret
    exactly = provider.exact_targets
    if narrowed and not admitted(target, connection.targets, exactly=exactly):
        raise _not_allowed(f"The connection {connection.name} does not admit {target}.")
    if connection.endpoints and todo.endpoint_id not in connection.endpoints:
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
