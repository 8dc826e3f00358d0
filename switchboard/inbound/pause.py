"""The pause: a source whose own deliveries fail in a row stops, a human or one that succeeds resumes it.

Only deliveries that proved who sent them count. Anyone can forge a request, so forged ones pause
nothing; neither do failures of ours, nor a source that proves nothing (`generic`).
"""

from __future__ import annotations

from switchboard.errors import Locked, Problem
from switchboard.inbound import pause_store
from switchboard.inbound.draft import Draft
from switchboard.lib import clock
from switchboard.lib.express import Lost, Write
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean

PROBE_SECONDS = 900
COUNTED = (403, 409, 422)


def admit(lib: Plumbing, draft: Draft) -> None:
    """Raise Locked while the source is paused, but for the one delivery that may try it out."""
    source, now = draft.source, clock.now()
    assert source is not None
    if source.state != "paused":
        return
    if source.probe_at is not None and source.probe_at <= now:
        try:
            lib.express.commit(
                [pause_store.probe_write(source.id, now, clock.ahead(PROBE_SECONDS))]
            )
            draft.probing = True
            return
        except Lost:
            pass  # another delivery is the one
    raise Locked(_why(source.paused_by))


def _why(paused_by: str | None) -> str:
    if paused_by == "failures":
        return "Too many deliveries in a row were refused, so this source is paused until one succeeds."
    return "A human paused this source; it takes nothing until it is resumed."


def success_writes(draft: Draft) -> list[Write]:
    """What an accepted delivery mends: the count starts anew, and a probe resumes the source."""
    assert draft.source is not None
    if draft.probing:
        return pause_store.resume_writes(draft.source.id, clock.now())
    return [pause_store.reset_write(draft.source.id)] if draft.source.failures else []


def failure_writes(lib: Plumbing, draft: Draft, problem: Problem) -> list[Write]:
    """What a refused delivery adds to the count, and the pause with its fault once there are enough."""
    if draft.source is None or not draft.verified or problem.status not in COUNTED:
        return []
    most = lib.settings["PAUSE_AFTER"]
    detail = (
        f"{most} deliveries in a row were refused, the last one because: {clean(problem.detail)}"
    )
    return pause_store.failure_writes(
        draft.source, most, clock.now(), clock.ahead(PROBE_SECONDS), detail
    )
