"""Rotating the encryption key: ingest URLs and signing secrets sealed again under the key in use."""

from __future__ import annotations

from switchboard.access.principals import Operator
from switchboard.events import log as events
from switchboard.inbound import store
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.rotation import Sealed, Tally, resealed, tally
from switchboard.models import Source, SourceSecret


def reseal(lib: Plumbing, operator: Operator) -> Tally:
    """Seal them all under the current key in one transaction; how they stood before it.

    A second run changes nothing. Raises Conflict `encryption_required` without a key.
    """
    lib.sealer.require()
    with lib.db.write() as session:
        sources, secrets = store.all_sealed(session, lock=True)
        before = _tally(lib, sources, secrets)
        for source in sources:
            source.token_sealed = resealed(lib.sealer, _url_token(source))
        for secret in secrets:
            secret.sealed = resealed(lib.sealer, _secret(secret))
        happened = events.Happened("vault.rotated", about="sources", data=vars(before))
        events.append(session, operator.actor, happened)
    return before


def survey(lib: Plumbing) -> Tally:
    """How they stand; nothing changes."""
    with lib.db.read() as session:
        return _tally(lib, *store.all_sealed(session))


def _tally(lib: Plumbing, sources: list[Source], secrets: list[SourceSecret]) -> Tally:
    return tally(lib.sealer, [*map(_url_token, sources), *map(_secret, secrets)])


def _url_token(source: Source) -> Sealed:
    return Sealed(source.token_sealed, source.id, needed=source.state != "revoked")


def _secret(secret: SourceSecret) -> Sealed:
    needed = secret.expires_at is None or secret.expires_at > clock.now()
    return Sealed(secret.sealed, secret.id, needed)
