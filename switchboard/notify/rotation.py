"""Rotating the encryption key: the secrets of hooks sealed again under the key in use."""

from __future__ import annotations

from switchboard.access.principals import Operator
from switchboard.events import log as events
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.rotation import Sealed, Tally, resealed, tally
from switchboard.models import EndpointHook
from switchboard.notify import store
from switchboard.notify.sealing import bound_to


def reseal(lib: Plumbing, operator: Operator) -> Tally:
    """Seal them all under the current key in one transaction; how they stood before it.

    A second run changes nothing. Raises Conflict `encryption_required` without a key.
    """
    lib.sealer.require()
    with lib.db.write() as session:
        hooks = store.all_sealed(session, lock=True)
        before = _tally(lib, hooks)
        for hook, revoked in hooks:
            hook.secret = resealed(lib.sealer, _current(hook, revoked))
            for previous in _previous(hook, revoked):
                hook.previous_secret = resealed(lib.sealer, previous)
        happened = events.Happened("vault.rotated", about="hooks", data=vars(before))
        events.append(session, operator.actor, happened)
    return before


def survey(lib: Plumbing) -> Tally:
    """How they stand; nothing changes."""
    with lib.db.read() as session:
        return _tally(lib, store.all_sealed(session))


def _tally(lib: Plumbing, hooks: list[tuple[EndpointHook, bool]]) -> Tally:
    secrets = [each for row in hooks for each in (_current(*row), *_previous(*row))]
    return tally(lib.sealer, secrets)


def _current(hook: EndpointHook, revoked: bool) -> Sealed:
    return Sealed(hook.secret, bound_to(hook.endpoint_id), needed=not revoked)


def _previous(hook: EndpointHook, revoked: bool) -> list[Sealed]:
    """The secret before the current one, if there is one."""
    if hook.previous_secret is None:
        return []
    signs = hook.previous_until is not None and hook.previous_until > clock.now()
    return [Sealed(hook.previous_secret, bound_to(hook.endpoint_id), needed=signs and not revoked)]
