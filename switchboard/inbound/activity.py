"""How busy each source was, by the hour: hours that are over are counted once, what is newer as asked.

The newest hour that was counted is where the next count goes on, so an idle box writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from switchboard.inbound import activity_store
from switchboard.inbound.ack_store import RECEIVING
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing

HOURS = 24
KEPT_HOURS = 48
MOST_RUNNING = 20_000  # rows of an hour that is not counted yet that are looked at
_HOUR = timedelta(hours=1)
# a request has the hour in which it was taken up, and may be recorded after that one's end
_SETTLED = RECEIVING + timedelta(minutes=1)


@dataclass(frozen=True)
class Hour:
    """How many requests of one hour were accepted, refused, failed."""

    start: datetime
    accepted: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.accepted + self.refused + self.failed


def tally(lib: Plumbing) -> None:
    """Count the hours that ended since the last time, and forget those nobody is shown."""
    end = _hour_of(clock.now() - _SETTLED)
    oldest = end - KEPT_HOURS * _HOUR
    rows: list[dict[str, Any]] = []
    with lib.db.read() as session:  # not in the transaction that writes: others would wait for it
        first, last = activity_store.span(session)
        hour = end - HOURS * _HOUR if last is None else max(last + _HOUR, end - HOURS * _HOUR)
        while hour < end:
            rows += activity_store.hour_counts(session, hour, hour + _HOUR)
            hour += _HOUR
    if rows or (first is not None and first < oldest):
        with lib.db.write() as session:
            activity_store.keep(session, rows)
            activity_store.forget(session, oldest)


def of_sources(lib: Plumbing, source_ids: Collection[str]) -> dict[str, list[Hour]]:
    """Source id → its last 24 hours, the running one last."""
    now = _hour_of(clock.now())
    first = now - (HOURS - 1) * _HOUR
    with lib.db.read() as session:
        found = {
            (source_id, hour): Hour(hour, *counts)
            for source_id, hour, *counts in activity_store.counted(session, source_ids, first)
        }
        _, last = activity_store.span(session)
        counted = last is not None and last >= now - _HOUR
        for hour in (now,) if counted else (now - _HOUR, now):
            for source_id, *counts in activity_store.newest(
                session, hour, hour + _HOUR, MOST_RUNNING
            ):
                found[source_id, hour] = Hour(hour, *counts)
    hours = [first + number * _HOUR for number in range(HOURS)]
    return {each: [found.get((each, hour), Hour(hour)) for hour in hours] for each in source_ids}


def _hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)
