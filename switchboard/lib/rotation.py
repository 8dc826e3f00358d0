"""Rotating the encryption key, for whichever vertical keeps sealed secrets: counting and sealing anew."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from switchboard.errors import Conflict
from switchboard.lib.crypto import Sealer


@dataclass(frozen=True)
class Sealed:
    """One stored secret and what it is bound to. `needed` is False for one nothing uses any more."""

    text: str
    bound_to: str
    needed: bool = True


@dataclass(frozen=True)
class Tally:
    """How many secrets open with the key in use, with the old one only, or with neither."""

    current: int = 0
    old: int = 0
    lost: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.current + other.current, self.old + other.old, self.lost + other.lost)


def tally(sealer: Sealer, secrets: Iterable[Sealed]) -> Tally:
    """Count them. One that is not needed and does not open is no loss, so it is left out."""
    total = Tally()
    for each in secrets:
        try:
            current = sealer.is_current(each.text, each.bound_to)
            total += Tally(current=1) if current else Tally(old=1)
        except Conflict:
            total += Tally(lost=int(each.needed))
    return total


def resealed(sealer: Sealer, secret: Sealed) -> str:
    """Its text under the key in use; unchanged when it is so already, or when no key opens it."""
    try:
        if sealer.is_current(secret.text, secret.bound_to):
            return secret.text
        opened = sealer.open(secret.text, secret.bound_to)
    except Conflict:
        return secret.text
    return sealer.seal(opened, secret.bound_to)
