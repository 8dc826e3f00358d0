"""The pause: a source whose own deliveries fail in a row stops, a human or one that succeeds resumes it.

Only deliveries that proved who sent them count. Anyone can forge a request, so forged ones pause
nothing; neither do failures of ours, nor a source that proves nothing (`generic`). Every PROBE_SECONDS
one delivery is let through to try a paused source out. When it teaches nothing - a repeat, one over
its lane, a failure of ours - the next one may try.
"""

from __future__ import annotations

from switchboard.errors import Locked, Problem
from switchboard.inbound import ack_store, pause_store
from switchboard.inbound.draft import Draft
from switchboard.lib import clock
from switchboard.lib.express import Lost, Write
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean

PROBE_SECONDS = 900
COUNTED = (403, 422)
MAIL = "email"


def admit(lib: Plumbing, draft: Draft) -> None:
    """Raise Locked while the source is paused, but for the one delivery that may try it out."""
    source = draft.source
    assert source is not None
    if source.state != "paused" or draft.probing:
        return
    now = clock.now()
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
    if draft.source is None or draft.replay_of is not None:
        return []
    if draft.probing:
        return pause_store.resume_writes(draft.source.id, clock.now())
    # what was read of the source may be a moment old, so whether there is a count the write finds out
    return [pause_store.reset_write(draft.source.id)] if draft.verified else []


def failure_writes(lib: Plumbing, draft: Draft, problem: Problem) -> list[Write]:
    """What a refused delivery adds to the count, and the pause with its fault once there are enough."""
    if draft.source is None or not draft.verified or draft.replay_of is not None:
        return []
    if draft.source.kind == MAIL:
        return []  # a person's mail that cannot be used says nothing of the way it came by
    if not _is_the_senders(lib, draft, problem):
        return _undecided(draft)
    most = lib.settings["PAUSE_AFTER"]
    detail = (
        f"{most} deliveries in a row were refused, the last one because: {clean(problem.detail)} "
        f"One is let through every {PROBE_SECONDS // 60} minutes; its success resumes the source, or a "
        "human does."
    )
    return pause_store.failure_writes(
        draft.source, most, clock.now(), clock.ahead(PROBE_SECONDS), detail
    )


def _is_the_senders(lib: Plumbing, draft: Draft, problem: Problem) -> bool:
    """Whether what was signed is what was refused: anybody can send a captured body under other headers.

    A forge's event is such a header. So a body that came before, as whichever event, says nothing new.
    """
    by_header = problem.code == "missing_delivery_id" or (problem.field or "").startswith("X-")
    if problem.status not in COUNTED or by_header:
        return False
    assert draft.source is not None
    return not ack_store.has_body(lib.express, draft.source.id, draft.body_sha256)


def repeated(lib: Plumbing, draft: Draft) -> None:
    """A repeat teaches nothing new about its source: had it the turn, the next one has."""
    if writes := _undecided(draft):
        lib.express.commit(writes)
        lib.recent.forget()


def _undecided(draft: Draft) -> list[Write]:
    if draft.source is None or not draft.probing:
        return []
    return [pause_store.give_back_write(draft.source.id, clock.now())]
