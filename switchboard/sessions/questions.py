"""Questions as humans see them: derived from the event log, with their history, receipts and offers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import letters, owners
from switchboard.access.principals import Operator
from switchboard.errors import Conflict, NotFound
from switchboard.events import log
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.models import AgentSession, Event, SessionMessage
from switchboard.sessions import answering, offers, posted, question_store, refs, registry, store

VIA_TICKET = "ticket"
MAX_HISTORY = 100
LOST = (
    "Nobody can tell whether it was typed: look into the pane, and answer again if it is not there."
)


def open_questions(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The questions in the operator's view that wait for an answer, oldest first."""
    with lib.db.read() as session:
        return _describe(session, question_store.open_now(session, operator.visible))


def _describe(session: Session, found: list[Event]) -> list[dict[str, Any]]:
    labels = owners.labels_of(session, {each.owner_id for each in found if each.owner_id})
    comments = posted.comments_of(session, found)
    live = store.live_of(session, {each.ref for each in found if each.ref})
    shown = registry.describe(session, list(live.values()))
    sessions = dict(zip(live, shown, strict=True))
    return [
        {
            "id": event.id,
            "ref": event.ref,
            "owner": labels.get(event.owner_id or ""),
            "question": event.data["question"],
            "actor": event.actor,
            "claimed_actor": event.data["actor"],
            "since": clock.iso(event.at),
            "comment_posted": comments[event.id].posted,
            "comment_url": comments[event.id].url,
            "reason": comments[event.id].reason,
            "session": sessions.get((event.owner_id or "", event.ref or "")),
        }
        for event in found
    ]


def about(
    lib: Plumbing,
    operator: Operator,
    ref: str,
    owner: Mapping[str, Any] | str | None = None,
) -> dict[str, Any]:
    """All there is on a work item: `open` (a question or None), `session`, `history`, `receipts`, `offers`.

    `history` and `receipts` are newest first, `offers` oldest first. Raises BadRequest `malformed_ref`,
    NotFound where nothing is in view, Conflict where several owners have something and none is named.
    """
    item = refs.parse(lib, ref)
    with lib.db.read() as session:
        whose = _owner_id(session, operator, str(item), owner)
        asked = question_store.open_now(session, [whose], str(item))
        live = store.live(session, str(item), [whose])
        receipts = store.receipts(session, str(item), [whose], MAX_HISTORY)
        found = {
            "ref": str(item),
            "owner": owners.label_of(session, whose),
            "open": _describe(session, asked)[0] if asked else None,
            "session": registry.describe(session, live)[0] if live else None,
            "receipts": [receipt(*each) for each in receipts],
            "offers": offers.since(lib, session, whose, item, asked[0].at) if asked else [],
        }
    page = log.page(lib, [whose], ref=str(item), limit=MAX_HISTORY)
    return found | {"history": page.events}


def _owner_id(
    session: Session, operator: Operator, ref: str, given: Mapping[str, Any] | str | None
) -> str:
    """Whose work item is meant: of the one owner in view who has a session on it, or was asked about it."""
    visible = operator.visible
    if given is not None:
        visible = frozenset({owners.named(session, operator, given).id})
    known = question_store.owners_of(session, ref, visible)
    if not known:
        raise NotFound("There is no such question.")
    if len(known) > 1:
        raise Conflict("Several owners were asked about this work item; say which owner is meant.")
    return known[0]


def asked(session: Session, event_id: str) -> Event | None:
    """The question of that id, whoever was asked; open or not."""
    found = question_store.event(session, event_id)
    return found if found is not None and found.type == question_store.ASKED else None


def still_open(session: Session, asked: Event) -> bool:
    """Whether that question waits; one asked again in the same words is the same question."""
    return question_store.still_open(session, asked)


def last_asked(session: Session, ref: str, owner_ids: Collection[str] | None) -> Event | None:
    """What was asked last about the work item, among these owners' (None: everybody's)."""
    return question_store.last_asked(session, ref, owner_ids)


def receipt(message: SessionMessage, transport: str) -> dict[str, Any]:
    """An answer as its sender sees it: how far it has come, `unknown` where whoever typed it was killed."""
    state, trouble = message.state, message.trouble
    stuck = message.created_at < clock.ago(answering.STUCK_SECONDS)
    if transport == "tmux" and state == "queued" and stuck:
        state, trouble = "unknown", LOST
    return {
        "id": message.id,
        "text": message.text,
        "actor": message.actor,
        "claimed_actor": message.claimed_actor,
        "via": message.via,
        "state": state,
        "trouble": trouble,
        "report": message.reply_id,
        "created_at": clock.iso(message.created_at),
        "delivered_at": clock.iso(message.delivered_at),
        "read_at": clock.iso(message.read_at),
    }


def answered_elsewhere(
    lib: Plumbing,
    operator: Operator,
    ref: str,
    owner: Mapping[str, Any] | str | None = None,
    *,
    question: str | None = None,
) -> None:
    """The open question was answered on the ticket: a human says so, nothing guesses it.

    `question` is the id of its event: no other one is closed. Raises Forbidden `missing_capability`,
    BadRequest `malformed_ref`, NotFound where none is open in view, or not that one.
    """
    letters.require(operator.letters, answering.LETTER, "Your account")
    item = str(refs.parse(lib, ref))
    with lib.db.write() as session:
        whose = _owner_id(session, operator, item, owner)
        at = question_store.in_turn(session, whose, item)
        waiting = question_store.open_now(session, [whose], item)
        if not waiting:
            raise NotFound("No question is open there.")
        if question and waiting[0].id != question:
            raise NotFound(
                "That question does not wait any more; the agent asks another one by now."
            )
        live: list[AgentSession] = store.live(session, item, [whose])
        log.append(
            session,
            operator.actor,
            log.Happened(
                question_store.ANSWERED,
                whose,
                live[0].id if live else None,
                one_line(item, 100),
                ref=item,
                data={"work_item": item, "via": VIA_TICKET},
            ),
            at=at,
        )
