"""`api.request`: every call of the JSON API as a line of the event log, at next to no cost for the call.

A thread writes the lines, many in one transaction, a moment after the calls were answered. Calls that
changed nothing and are alike - an agent polling an empty queue, a program reading a list, a stranger
guessing - are one line each FOLD_SECONDS, after the first of them, that says how many they were. A process
that is killed loses the lines of that moment.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from switchboard.errors import Unavailable
from switchboard.events import store
from switchboard.events.catalogue import API_REQUEST
from switchboard.events.log import Actor
from switchboard.lib import ids
from switchboard.lib.plumbing import Plumbing

log = logging.getLogger(__name__)

FOLD_SECONDS = 10.0
PAUSE_SECONDS = 0.1
AT_ONCE = 500
MOST_WAITING = 10_000  # lines that storage did not take; the oldest go first
MOST_ALIKE = 1_000  # kinds of calls counted at a time


@dataclass(frozen=True)
class Call:
    """One call, or several alike: who, the method, the route's template, the status, the longest's time."""

    actor: Actor
    owner_id: str | None
    method: str
    path: str
    status: int
    duration_ms: int
    at: datetime
    count: int = 1

    @property
    def alike(self) -> tuple[Any, ...]:
        """What calls have in common that may be one line."""
        return (self.actor, self.owner_id, self.method, self.path, self.status)

    def and_another(self, other: Call) -> Call:
        """Both of them."""
        longest = max(self.duration_ms, other.duration_ms)
        return replace(self, count=self.count + other.count, duration_ms=longest)

    def row(self) -> Mapping[str, Any]:
        """The line's columns."""
        return {
            "id": ids.new("event"),
            "type": API_REQUEST,
            "at": self.at,
            "owner_id": self.owner_id,
            "actor": self.actor.name,
            "actor_id": self.actor.id,
            "about": f"{self.method} {self.path}"[:100],
            "data": {
                "method": self.method,
                "path": self.path,
                "status": self.status,
                "duration_ms": self.duration_ms,
                "count": self.count,
            },
        }


class Calls:
    """What one process has still to write."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._lines: deque[Call] = deque(maxlen=MOST_WAITING)
        self._counted: dict[tuple[Any, ...], tuple[float, Call | None]] = {}
        self._running = False

    def add(self, lib: Plumbing, call: Call, *, folds: bool) -> None:
        """Have it written, or counted if it `folds` and one like it was written a moment ago."""
        with self._lock:
            if not folds or not self._counts(call):
                self._lines.append(call)
            if self._running:
                return
            self._running = True
        # no daemon: a process that ends in order writes what it has
        threading.Thread(target=self._run, args=(lib,), name="calls").start()

    def _counts(self, call: Call) -> bool:
        """Count it beside the one before; False if it is the first for FOLD_SECONDS."""
        until, before = self._counted.get(call.alike, (0.0, None))
        if until:
            together = call if before is None else before.and_another(call)
            self._counted[call.alike] = (until, together)
            return True
        if len(self._counted) < MOST_ALIKE:
            self._counted[call.alike] = (time.monotonic() + FOLD_SECONDS, None)
        return False

    def settle(self, lib: Plumbing, *, counted_too: bool = True) -> None:
        """Write what there is to write. Raises Unavailable; then it is still to be written."""
        with self._writing:
            self._close_counts(all_=counted_too)
            while lines := self._taken():
                try:
                    store.add_lines(lib, [call.row() for call in lines])
                except BaseException:
                    with self._lock:
                        self._lines.extendleft(reversed(lines))
                    raise

    def _close_counts(self, *, all_: bool) -> None:
        now = time.monotonic()
        with self._lock:
            over = [key for key, (until, _) in self._counted.items() if all_ or until <= now]
            for key in over:
                _, counted = self._counted.pop(key)
                if counted is not None:
                    self._lines.append(counted)
                    if not all_:  # it may well go on
                        self._counted[key] = (now + FOLD_SECONDS, None)

    def _taken(self) -> list[Call]:
        with self._lock:
            return [self._lines.popleft() for _ in range(min(AT_ONCE, len(self._lines)))]

    def _run(self, lib: Plumbing) -> None:
        """Write until nothing is left. What storage does not take is left for the next one's thread."""
        while self._something_is_left():
            ends = not threading.main_thread().is_alive()
            try:
                self.settle(lib, counted_too=ends)
            except Unavailable as error:
                log.warning("the record of API calls waits for the next call: %s", error.code)
                with self._lock:
                    self._running = False
                return
            if not ends:
                time.sleep(PAUSE_SECONDS)

    def _something_is_left(self) -> bool:
        with self._lock:
            self._running = bool(self._lines or self._counted)
            return self._running


def record(lib: Plumbing, call: Call, *, folds: bool) -> None:
    """Put one answered call on record; it `folds` where it changed nothing."""
    lib.own(Calls).add(lib, call, folds=folds)


def settle(lib: Plumbing) -> None:
    """Write down what this process has, so that whoever reads the log finds it. Raises Unavailable."""
    lib.own(Calls).settle(lib)


def let_go(lib: Plumbing, before: datetime, at_once: int) -> None:
    """Delete calls recorded before that, so many at once. No other event is ever deleted."""
    first_kept = ids.first_at("event", before)
    while True:
        with lib.db.read() as session:
            old = store.of_type_before(session, API_REQUEST, first_kept, at_once)
        if not old:
            return
        with lib.db.write() as session:
            store.delete_these(session, old)
