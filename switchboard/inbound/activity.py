"""How busy each source was, by the hour: hours that are over are counted once, the running one as asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from switchboard.inbound import activity_store
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing

HOURS = 24
KEPT_HOURS = 48
MOST_RUNNING = 20_000  # rows of the running hour that are looked at
_HOUR = timedelta(hours=1)


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
    now = _this_hour()
    with lib.db.read() as session:
        last = activity_store.last_hour(session)
    # the last one is counted again: a request taken up in it may have been recorded after it
    hour = max(last or now - HOURS * _HOUR, now - HOURS * _HOUR)
    while hour < now:
        with lib.db.write() as session:
            activity_store.count_hour(session, hour, hour + _HOUR)
        hour += _HOUR
    with lib.db.write() as session:
        activity_store.forget(session, now - KEPT_HOURS * _HOUR)


def of_sources(lib: Plumbing, source_ids: Collection[str]) -> dict[str, list[Hour]]:
    """Source id → its last 24 hours, the running one last."""
    now = _this_hour()
    first = now - (HOURS - 1) * _HOUR
    with lib.db.read() as session:
        found = {
            (source_id, hour): Hour(hour, *counts)
            for source_id, hour, *counts in activity_store.counted(session, source_ids, first)
        }
        for source_id, *counts in activity_store.running(session, now, MOST_RUNNING):
            found[source_id, now] = Hour(now, *counts)
    hours = [first + number * _HOUR for number in range(HOURS)]
    return {each: [found.get((each, hour), Hour(hour)) for hour in hours] for each in source_ids}


def _this_hour() -> datetime:
    return clock.now().replace(minute=0, second=0, microsecond=0)
