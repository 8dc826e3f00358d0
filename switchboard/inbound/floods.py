"""Floods of refusals: the first FOLD_AFTER of a minute are rows of their own, the rest a count.

A flood must cost next to nothing, or it starves the neighbours. Once it folds, this process asks the
database no more whether it does, and no request waits for the one row: a thread writes down every
PAUSE_SECONDS what was counted. A process that is killed loses the count of that moment, never a row.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.errors import Problem, Unavailable
from switchboard.inbound import flood_store
from switchboard.lib import clock, ids
from switchboard.lib.express import Lost, Write
from switchboard.lib.plumbing import Plumbing

log = logging.getLogger(__name__)

FOLD_AFTER = 60  # rows a minute
PAUSE_SECONDS = 0.1
MINUTE_FORM = "%Y-%m-%dT%H:%M"

Folding = Callable[[int], None]  # writes down that so many came


class Floods:
    """What one process knows of the floods that come its way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._pending: dict[Hashable, tuple[int, Folding]] = {}
        self._folding: dict[Hashable, str] = {}
        self._running = False

    def folds(self, key: Hashable, minute: str) -> bool:
        """Whether it is known here that this one folds in this minute."""
        return self._folding.get(key) == minute

    def begin(self, key: Hashable, minute: str) -> None:
        """From now on, and until the minute is over, it folds."""
        self._folding[key] = minute

    def add(self, key: Hashable, fold: Folding) -> None:
        """Count one more request of that flood; a `fold` of one of them is called in a moment."""
        with self._lock:
            count, first = self._pending.get(key, (0, fold))
            self._pending[key] = (count + 1, first)
            if self._running:
                return
            self._running = True
        # no daemon: a process that ends in order writes what it counted
        threading.Thread(target=self._run, name="floods").start()

    def settle(self) -> None:
        """Write down what was counted so far. Raises Unavailable; then it is still to be written."""
        with self._writing:
            with self._lock:
                pending, self._pending = self._pending, {}
            while pending:
                key, (count, fold) = pending.popitem()
                try:
                    fold(count)
                except BaseException:
                    self._put_back({**pending, key: (count, fold)})
                    raise

    def _put_back(self, counted: Mapping[Hashable, tuple[int, Folding]]) -> None:
        with self._lock:
            for key, (count, fold) in counted.items():
                self._pending[key] = (self._pending.get(key, (0, fold))[0] + count, fold)

    def _run(self) -> None:
        """Write until nothing is left. What storage does not take is left for the next one's thread."""
        while self._something_is_left():
            try:
                self.settle()
            except Unavailable as error:
                log.warning("the count of a flood waits for the next: %s", error.code)
                with self._lock:
                    self._running = False
                return
            time.sleep(PAUSE_SECONDS)

    def _something_is_left(self) -> bool:
        with self._lock:
            self._running = bool(self._pending)
            return self._running


def keep(
    lib: Plumbing,
    source_id: str | None,
    problem: Problem,
    make_row: Callable[[], Mapping[str, Any]],
    counted: Sequence[Write],
    *,
    proved: bool,
) -> bool:
    """Record a refusal, and `counted` with it in one transaction; whether a flood begins to fold here.

    `make_row` is asked for the row only when it is needed. Each status and code folds into a row of
    its own, and what was proved to come from the source apart from what anybody may have sent. Raises
    Unavailable.
    """
    floods, now = lib.own(Floods), clock.now()
    minute = now.strftime(MINUTE_FORM)
    begins = not floods.folds(source_id, minute)
    if begins:
        if _kept_alone(lib, make_row(), counted, now):
            return False
        floods.begin(source_id, minute)
    what = f"{problem.status}:{problem.code}{':proved' if proved else ''}"
    fold_key = f"{source_id or 'unknown'}:{minute}:{what}"
    if counted:  # the pause counts each on its own
        lib.express.commit([flood_store.fold_write(make_row(), fold_key, 1), *counted])
    else:
        floods.add(fold_key, _folding(lib, fold_key, make_row))
    return begins


def _kept_alone(
    lib: Plumbing, row: Mapping[str, Any], counted: Sequence[Write], now: datetime
) -> bool:
    """Write the row by itself, unless there are enough of its source in this minute."""
    since_id = ids.first_at("delivery", now.replace(second=0, microsecond=0))
    try:
        lib.express.commit([flood_store.row_write(row, since_id, FOLD_AFTER), *counted])
    except Lost:
        return False
    return True


def settle(lib: Plumbing) -> None:
    """Write down what this process counted, so that whoever reads the record finds it."""
    lib.own(Floods).settle()


def _folding(lib: Plumbing, fold_key: str, make_row: Callable[[], Mapping[str, Any]]) -> Folding:
    def fold(count: int) -> None:
        lib.express.commit([flood_store.fold_write(make_row(), fold_key, count)])

    return fold
