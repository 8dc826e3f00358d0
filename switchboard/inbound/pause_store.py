"""The SQL of the pause: conditional writes that need no reading first.

All of them lock the source's row last but for its fault's, so no two transactions can deadlock.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, bindparam, select, update
from sqlalchemy.dialects import postgresql

from switchboard.inbound.ack_store import FoundSource
from switchboard.inbound.fault_codes import PAUSED
from switchboard.lib import ids
from switchboard.lib.express import Prepared, Write
from switchboard.models import Fault, Source
from switchboard.models.base import UTCDateTime, table_of

_SOURCES, _FAULTS = table_of(Source), table_of(Fault)
_THIS = _SOURCES.c.id == bindparam("source_id")
_PAUSED_BY_FAILURES = (_SOURCES.c.state == "paused") & (_SOURCES.c.paused_by == "failures")

_COUNT = Prepared(update(_SOURCES).where(_THIS).values(failures=_SOURCES.c.failures + 1))
# touches and locks nothing while there is nothing to reset, as is usual
_RESET = Prepared(
    update(_SOURCES)
    .where(_THIS, _SOURCES.c.failures > 0, _SOURCES.c.state == "active")
    .values(failures=0)
)
_PROBE = Prepared(
    update(_SOURCES)
    .where(_THIS, _PAUSED_BY_FAILURES, _SOURCES.c.probe_at <= bindparam("now", type_=UTCDateTime))
    .values(probe_at=bindparam("next_at", type_=UTCDateTime))
)
_GIVE_BACK = Prepared(
    update(_SOURCES)
    .where(_THIS, _PAUSED_BY_FAILURES)
    .values(probe_at=bindparam("now", type_=UTCDateTime))
)
_PAUSE = Prepared(
    update(_SOURCES)
    .where(_THIS, _SOURCES.c.state == "active", _SOURCES.c.failures >= bindparam("most"))
    .values(state="paused", paused_by="failures", probe_at=bindparam("next_at", type_=UTCDateTime))
)
_RESUME = Prepared(
    update(_SOURCES)
    .where(_THIS, _PAUSED_BY_FAILURES)
    .values(state="active", paused_by=None, probe_at=None, failures=0)
)
_CLEAR = Prepared(
    update(_FAULTS)
    .where(
        _FAULTS.c.about_id == bindparam("source_id"),
        _FAULTS.c.code == PAUSED,
        _FAULTS.c.cleared_at.is_(None),
    )
    .values(cleared_at=bindparam("now", type_=UTCDateTime))
)


def _raise_statement() -> Prepared:
    """The fault of a source that failures have paused, unless it stands already."""
    given = {
        "id": bindparam("fault_id", type_=String),
        "code": bindparam("code", type_=String),
        "about_id": _SOURCES.c.id,
        "about": bindparam("about", type_=String),
        "detail": bindparam("detail", type_=String),
        "raised_at": bindparam("now", type_=UTCDateTime),
        "owner_account_id": _SOURCES.c.owner_account_id,
        "owner_team_id": _SOURCES.c.owner_team_id,
    }
    paused = select(*given.values()).where(_THIS, _PAUSED_BY_FAILURES)
    # both databases speak this form of it, so one of their dialects' constructs serves
    return Prepared(
        postgresql.insert(_FAULTS).from_select(list(given), paused).on_conflict_do_nothing()
    )


_RAISE = _raise_statement()


def probe_write(source_id: str, now: datetime, next_at: datetime) -> Write:
    """Take the turn to try a paused source out; Lost when it is not due or another has it."""
    return Write(_PROBE, {"source_id": source_id, "now": now, "next_at": next_at}, rows=1)


def give_back_write(source_id: str, now: datetime) -> Write:
    """The turn is for the next delivery: the one that had it taught nothing."""
    return Write(_GIVE_BACK, {"source_id": source_id, "now": now})


def reset_write(source_id: str) -> Write:
    """A success ends the run of failures."""
    return Write(_RESET, {"source_id": source_id})


def resume_writes(source_id: str, now: datetime) -> list[Write]:
    """The probe succeeded: the source takes deliveries again, its fault is over."""
    given = {"source_id": source_id, "now": now}
    return [Write(_RESUME, {"source_id": source_id}), Write(_CLEAR, given)]


def failure_writes(
    source: FoundSource, most: int, now: datetime, next_at: datetime, detail: str
) -> list[Write]:
    """Count one more failure; the one that makes it `most` pauses the source and raises the fault."""
    fault = {
        "source_id": source.id,
        "fault_id": ids.new("fault"),
        "code": PAUSED,
        "about": f"Source {source.name}",
        "detail": detail,
        "now": now,
    }
    return [
        Write(_COUNT, {"source_id": source.id}),
        Write(_PAUSE, {"source_id": source.id, "most": most, "next_at": next_at}),
        Write(_RAISE, fault),
    ]
