"""Rotating the encryption key: the secrets of OAuth programs sealed again under the key in use."""

from __future__ import annotations

from switchboard.access import oauth_store as store
from switchboard.access.principals import Operator
from switchboard.events import log as events
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.rotation import Sealed, Tally, resealed, tally
from switchboard.models import OAuthClient


def reseal(lib: Plumbing, operator: Operator) -> Tally:
    """Seal them all under the current key in one transaction; how they stood before it.

    A second run changes nothing. Raises Conflict `encryption_required` without a key.
    """
    lib.sealer.require()
    with lib.db.write() as session:
        programs = store.all_sealed(session, lock=True)
        before = tally(lib.sealer, map(_sealed, programs))
        for program in programs:
            program.secret_sealed = resealed(lib.sealer, _sealed(program))
        happened = events.Happened("vault.rotated", about="programs", data=vars(before))
        events.append(session, operator.actor, happened)
    return before


def survey(lib: Plumbing) -> Tally:
    """How they stand; nothing changes."""
    with lib.db.read() as session:
        return tally(lib.sealer, map(_sealed, store.all_sealed(session)))


def _sealed(program: OAuthClient) -> Sealed:
    """One that nobody let in is no loss: it registers again."""
    return Sealed(program.secret_sealed or "", program.id, needed=program.used_at is not None)
