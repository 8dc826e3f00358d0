"""How a source is doing, from its record: the faults that no single delivery raises.

A long run of requests that prove nothing (forged, or a `generic` source's bad bodies) or that failed
here pauses nobody. Where nothing gets through in between it raises one fault, which a success clears.
What a human sends through again, or sends as a test, is no success of the sender's.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.errors import Unavailable
from switchboard.faults import book as faults
from switchboard.inbound import health_store, pause, sample_ids
from switchboard.inbound.fault_codes import REFUSING
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Source
from switchboard.outbox import tell

LONG_RUN = 50  # requests
MOST_ROWS = 150  # of one source, the newest
LOOK_BACK_SECONDS = 600  # longer than a sweep is ever late while somebody works
MOST_REFUSALS = 10_000  # rows of all sources that one sweep looks through


@dataclass(frozen=True)
class _Run:
    """The newest requests that count, up to the last success; `newest` is the row of the last one."""

    length: int
    after_success: bool
    newest: Any = None


def sweep(lib: Plumbing) -> None:
    """Look at every source that refused something lately, or of which a fault says that it does."""
    since_id = ids.first_at("delivery", clock.ago(LOOK_BACK_SECONDS))
    with lib.db.read() as session:
        refusing = health_store.not_accepted_since(session, since_id, MOST_REFUSALS)
        standing = faults.standing_about(session, REFUSING)
    for source_id in sorted(refusing | standing):
        look(lib, source_id)


def look_now(lib: Plumbing, source_id: str) -> None:
    """Look at a source in the midst of a flood; what fails here the next sweep makes good."""
    with suppress(Unavailable):
        look(lib, source_id)


def look(lib: Plumbing, source_id: str) -> None:
    """Raise or clear the fault of one source, as its newest rows say. Raises Unavailable."""
    with lib.db.read() as session:
        source = health_store.live_source(session, source_id)
        stands = faults.stands(session, REFUSING, source_id)
        run = _run(_rows(session, source_id))
    if source is None:
        if stands:  # it was revoked between our look and our raising it
            with lib.db.write() as session:
                faults.clear_in(session, REFUSING, source_id)
        return
    if not stands and run.length >= LONG_RUN:
        with lib.db.write() as session:
            due = faults.raise_in(session, _condition(source, run))
        tell.ring(lib, due)
    elif stands and run.length < LONG_RUN and run.after_success:
        with lib.db.write() as session:
            faults.clear_in(session, REFUSING, source_id)


def _rows(session: Session, source_id: str) -> Sequence[Any]:
    """The newest rows since its last fault of this kind was cleared: what led to that one is over."""
    cleared_at = faults.last_cleared(session, REFUSING, source_id)
    since_id = ids.first_at("delivery", cleared_at) if cleared_at else ""
    return health_store.newest_rows(session, source_id, since_id, MOST_ROWS)


def _run(rows: Sequence[Any]) -> _Run:
    length, newest = 0, None
    for row in rows:
        if row.status == "accepted" and not sample_ids.is_one(row.sender_id):
            return _Run(length, True, newest)
        if _counts(row):
            length += row.count
            newest = newest or row
    return _Run(length, False, newest)


def _counts(row: Any) -> bool:
    """Whether it failed here, or was refused and proves nothing; what was proved is the pause's."""
    if row.status == "failed" or row.trust is None:
        return True
    return row.trust == "token" and row.http_status in pause.COUNTED


def _condition(source: Source, run: _Run) -> faults.Condition:
    said = [
        f"{run.length} requests or more in a row were turned away and none got through.",
        f"The newest: {run.newest.reason}",
        run.newest.diagnosis,
        "The source's log has them.",
    ]
    return faults.Condition(
        code=REFUSING,
        about_id=source.id,
        about=f"Source {source.name}",
        detail=" ".join(filter(None, said)),
        owner_account_id=source.owner_account_id,
        owner_team_id=source.owner_team_id,
    )
