"""The secrets of a hook: sealed in its row, opened for one call."""

from __future__ import annotations

from datetime import datetime

from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing


def bound_to(endpoint_id: str) -> str:
    """The associated data: a ciphertext opens only in the row of its endpoint's hook."""
    return f"{endpoint_id}:hook"


def seal(lib: Plumbing, endpoint_id: str, secret: str) -> str:
    """The sealed form. Raises Conflict `encryption_required`."""
    return lib.sealer.seal(secret, bound_to(endpoint_id))


def signing_secrets(
    lib: Plumbing,
    endpoint_id: str,
    secret: str,
    previous_secret: str | None,
    previous_until: datetime | None,
) -> list[str]:
    """What a call is signed with now: the current secret, and the one before while it is good.

    Raises Conflict `encryption_required` when one does not open.
    """
    sealed = [secret]
    if previous_secret and previous_until and previous_until > clock.now():
        sealed.append(previous_secret)
    return [lib.sealer.open(each, bound_to(endpoint_id)) for each in sealed]
