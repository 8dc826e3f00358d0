"""Rotating the encryption key: connections sealed again under the key in use."""

from __future__ import annotations

from switchboard.access.principals import Operator
from switchboard.events import log as events
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.rotation import Sealed, Tally, resealed, tally
from switchboard.models import Connection
from switchboard.vault import store
from switchboard.vault.connections import bound_to


def reseal(lib: Plumbing, operator: Operator) -> Tally:
    """Seal every connection under the current key in one transaction; how they stood before it.

    A second run changes nothing. Raises Conflict `encryption_required` without a key.
    """
    lib.sealer.require()
    with lib.db.write() as session:
        rows = store.all_locked(session)
        before = tally(lib.sealer, map(_sealed, rows))
        for row in rows:
            row.secret = resealed(lib.sealer, _sealed(row))
        happened = events.Happened("vault.rotated", about="connections", data=vars(before))
        events.append(session, operator.actor, happened)
    return before


def survey(lib: Plumbing) -> Tally:
    """How the connections stand; nothing changes."""
    with lib.db.read() as session:
        return tally(lib.sealer, map(_sealed, store.connections_in(session, None)))


def _sealed(row: Connection) -> Sealed:
    return Sealed(row.secret, bound_to(row.id, row.kind))
