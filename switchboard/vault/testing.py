"""Testing a connection: one harmless authenticated read, and what it found kept on the row."""

from __future__ import annotations

from typing import Any

from switchboard.access.principals import Operator
from switchboard.errors import Conflict, RateLimited
from switchboard.lib import clock
from switchboard.lib.http import OutboundError
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.ratelimit import SIX_A_MINUTE
from switchboard.providers import connection_kind
from switchboard.providers.answers import without_secret
from switchboard.providers.base import Credential, Identity
from switchboard.vault import connections, store


def test(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """One harmless authenticated read: `{at, ok, class, code, identity, bot_id}`, kept on the row.

    Raises RateLimited beyond six a minute, Conflict when the credential was replaced meanwhile.
    """
    with lib.db.read() as session:
        connection = connections.configurable(session, operator, ref)
        credential = connections.credential_of(lib, connection)
        session.expunge(connection)
    wait = lib.buckets.take(f"test:{connection.id}", SIX_A_MINUTE)
    if wait:
        raise RateLimited("This connection was tested often just now.", retry_after=wait)
    found = _probe(lib, connection.kind, credential)
    # a test that fails says nothing of whose the posts are
    bot_id = found.bot_id if found.ok else connection.bot_id
    result = {
        "at": clock.iso(clock.now()),
        "ok": found.ok,
        "class": found.error_class,
        "code": found.error_code,
        "identity": found.identity,
        "bot_id": bot_id,
    }
    fingerprint = connection.secret_fingerprint
    with lib.db.write() as session:
        kept = store.keep_test(session, connection.id, fingerprint, last_test=result, bot_id=bot_id)
        if not kept:
            raise Conflict("The connection was changed while it was tested. Test it again.")
        said = {"ok": found.ok, "class": found.error_class, "identity": found.identity}
        connections.note(session, operator, "tested", connection, **said)
    return result


def _probe(lib: Plumbing, kind: str, credential: Credential) -> Identity:
    try:
        found = connection_kind(lib.settings, kind).probe(lib.http, credential)
    except OutboundError as error:
        return Identity(False, None, "network", error.code)
    return without_secret(credential, found)
