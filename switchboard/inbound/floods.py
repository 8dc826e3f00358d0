"""Floods of refusals: the first FOLD_AFTER of a minute are rows of their own, the rest a count in one.

A flood must cost next to nothing, or it starves the neighbours. Once it folds, this process asks the
database no more whether it does, and its threads do not queue for the one row: one writes, one waits
to write what has come meanwhile, and the others go.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from switchboard.inbound import flood_store
from switchboard.lib import clock, ids
from switchboard.lib.express import Lost, Write
from switchboard.lib.plumbing import Plumbing

FOLD_AFTER = 60  # rows a minute
MINUTE_FORM = "%Y-%m-%dT%H:%M"


@dataclass
class _Count:
    """Requests of one flood that are not written yet."""

    pending: int = 0
    somebody_waits: bool = False
    writing: threading.Lock = field(default_factory=threading.Lock)


class Floods:
    """What one process knows of the floods that come its way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[Hashable, _Count] = {}
        self._folding: dict[Hashable, str] = {}

    def folds(self, key: Hashable, minute: str) -> bool:
        """Whether it is known here that this one folds in this minute."""
        return self._folding.get(key) == minute

    def begin(self, key: Hashable, minute: str) -> None:
        """From now on, and until the minute is over, it folds."""
        self._folding[key] = minute

    def add(self, key: Hashable, write: Callable[[int], None]) -> None:
        """Count one more request; `write` is called here or elsewhere with how many there were.

        Whoever finds somebody waiting to write is counted by him, and need not wait. So what was
        added is written once all calls have returned. Raises what `write` raises; the requests of
        others are then left for the next call.
        """
        with self._lock:
            count = self._counts.setdefault(key, _Count())
            count.pending += 1
            if count.somebody_waits:
                return
            count.somebody_waits = True
        with count.writing:
            with self._lock:
                count.somebody_waits = False
                pending, count.pending = count.pending, 0
            try:
                write(pending)
            except BaseException:
                with self._lock:
                    count.pending += pending - 1
                raise


def keep(
    lib: Plumbing,
    source_id: str | None,
    make_row: Callable[[], Mapping[str, Any]],
    counted: Sequence[Write],
    *,
    proved: bool,
) -> bool:
    """Record a refusal, and `counted` with it in one transaction; whether a flood begins to fold here.

    `make_row` is asked for the row only when it is needed. What was proved to come from the source
    folds apart from what anybody may have sent. Raises Unavailable.
    """
    floods, now = lib.own(Floods), clock.now()
    minute = now.strftime(MINUTE_FORM)
    begins = False
    if not floods.folds(source_id, minute):
        since_id = ids.first_at("delivery", now.replace(second=0, microsecond=0))
        try:
            lib.express.commit([flood_store.row_write(make_row(), since_id, FOLD_AFTER), *counted])
            return False
        except Lost:
            floods.begin(source_id, minute)
            begins = True
    fold_key = f"{source_id or 'unknown'}:{minute}{':proved' if proved else ''}"
    if counted:  # the pause counts each on its own
        lib.express.commit([flood_store.fold_write(make_row(), fold_key, 1), *counted])
    else:
        floods.add(
            (source_id, proved),
            lambda count: lib.express.commit([flood_store.fold_write(make_row(), fold_key, count)]),
        )
    return begins
