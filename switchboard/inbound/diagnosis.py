"""What is most likely wrong with a request that did not verify: for the record, never for the sender.

Likely mistakes are made on purpose, one after the other, until the signature fits one. It is tried on
small bodies and a few times a minute, so it is no lever for a flood; and always to the end, so that the
time it takes tells the sender nothing.
"""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Iterator

from switchboard.errors import Conflict, Unauthenticated
from switchboard.inbound import diagnosis_store, mistakes
from switchboard.inbound.draft import Draft
from switchboard.inbound.mistakes import Request
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import source_kind, source_kinds
from switchboard.providers.base import SourceKind

MAX_BYTES = 65_536
A_MINUTE, A_MINUTE_IN_ALL = 6, 60  # in one process
ENDED_SECRETS = 3

UNSIGNED = "It carries no signature at all: give the sender this source's secret."
_OFF = re.compile(r"(\d+) seconds (old|in the future)")


def this_minute() -> int:
    """The number of the running minute, by a clock that nobody sets."""
    return int(time.monotonic() // 60)


class Allowance:
    """How many diagnoses this process has made in this minute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minute = 0
        self._made: Counter[str] = Counter()

    def take(self, source_id: str) -> bool:
        """Whether one more may be made for that source."""
        minute = this_minute()
        with self._lock:
            if minute != self._minute:
                self._minute = minute
                self._made.clear()
            if self._made[source_id] >= A_MINUTE or self._made.total() >= A_MINUTE_IN_ALL:
                return False
            self._made[source_id] += 1
            return True


def of(lib: Plumbing, draft: Draft, problem: Unauthenticated) -> str | None:
    """One sentence or two with the likely cause and its cure, or None when none was found."""
    source, incoming = draft.source, draft.incoming
    assert source is not None
    if problem.code == "stale_timestamp":
        return _skewed(problem)
    if problem.code == "missing_signature" and not mistakes.carries_one(incoming.headers):
        return UNSIGNED
    if len(incoming.raw) > MAX_BYTES or not lib.own(Allowance).take(source.id):
        return None
    kind = source_kind(lib.settings, source.kind)
    secrets = [lib.sealer.open(sealed, secret_id) for secret_id, sealed in source.secrets]
    request = Request(incoming.headers, incoming.raw, secrets, problem.field, clock.now())
    found = [
        *_with_ended_secrets(lib, source.id, kind, request),
        *mistakes.of_another_kind(source_kinds(lib.settings).values(), kind, request),
        *mistakes.found(kind, request),
    ]
    return found[0] if found else None


def _skewed(problem: Unauthenticated) -> str | None:
    off = _OFF.search(problem.detail)
    if off is None:
        return None
    ahead = off[2] == "in the future"
    held = "" if ahead else " What was held back, or is sent again, must be signed anew."
    return (
        f"The signature is right, but its time is {off[1]} s {'ahead of' if ahead else 'behind'} the "
        f"clock here. Set the sender's clock and this one by NTP.{held}"
    )


def _with_ended_secrets(
    lib: Plumbing, source_id: str, kind: SourceKind, request: Request
) -> Iterator[str]:
    """Does it fit a secret that the source had before?"""
    with lib.db.read() as session:
        ended = diagnosis_store.ended_secrets(session, source_id, request.now, ENDED_SECRETS)
    for each in ended:
        try:
            secret = lib.sealer.open(each.sealed, each.id)
        except Conflict:
            continue  # sealed with a key that is gone
        if request.fits(kind, secrets=[secret]):
            yield (
                f"It is signed with a secret that this source had before ({each.fingerprint}), good "
                f"until {clock.iso(each.expires_at)}. Give the sender the one in use, or rotate to "
                "that one again."
            )
