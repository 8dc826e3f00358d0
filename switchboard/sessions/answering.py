"""A human answers: the words are brought to the running session, and to nothing else.

No answer starts an agent: where none waits, it is refused, with what to do instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import letters, owners
from switchboard.access.principals import Operator
from switchboard.errors import BadRequest, Conflict, Invalid, NotFound
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.models import AgentSession, SessionMessage
from switchboard.replies.accept import MAX_TEXT, Waiting, is_blank
from switchboard.sessions import framing, question_store, refs, registry, reporting, store, tmux
from switchboard.sessions.refs import WorkItem

LETTER = "a"
MAX_ACTOR = 100
STUCK_SECONDS = 60  # tmux has answered by then, so that what is not brought yet never will be
GUIDANCE = "No agent waits there. Answer on the ticket, or start or resume the work item."


@dataclass(frozen=True)
class Answer:
    """What to tell the agent of which work item.

    `actor` is who answers, as the caller says: recorded as a claim. `comment`: report it on the work item.
    `owner` says whose session is meant, where several owners have one on the same work item. `question` is
    the id of the event of the question that is answered: once that waits no more, nothing is brought.
    """

    ref: str
    text: str
    actor: str = ""
    comment: bool = True
    owner: Mapping[str, Any] | str | None = None
    question: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of an answer: sentences for a human, 0 or 1, and the id of its receipt."""

    messages: list[str]
    exit_code: int
    receipt: str

    def as_dict(self) -> dict[str, Any]:
        """What the caller is told."""
        return {"messages": self.messages, "exitCode": self.exit_code}


def answer(
    lib: Plumbing, operator: Operator, given: Answer, waiting: Waiting, *, via: str
) -> Outcome:
    """Bring an answer to the session of a work item in the operator's view; `via` is the door it came by.

    Raises, in this order, Forbidden `missing_capability`, BadRequest `malformed_ref` or `empty_text`,
    Invalid for a text too long, NotFound where no session is, Conflict where several owners have one and
    none is named, BadRequest `session_paused`, Conflict `question_closed`, NotFound where the pane is gone.
    """
    with lib.db.write() as session:
        taken = take(lib, session, operator, given, via=via)
    return bring(lib, operator, taken, waiting, comment=given.comment)


@dataclass(frozen=True)
class Taken:
    """An answer written down: its session, and the message that is to be brought there."""

    found: AgentSession
    message: SessionMessage


def take(lib: Plumbing, session: Session, operator: Operator, given: Answer, *, via: str) -> Taken:
    """Write the answer down in the caller's transaction, which is all that a mailbox needs.

    Raises what `answer` does, but for a pane that is gone.
    """
    letters.require(operator.letters, LETTER, "Your account")
    item, text = refs.parse(lib, given.ref), _check_text(given.text)
    found = find(session, operator, item, given.owner)
    if found.state == "paused":
        raise BadRequest("The session is paused; resume it first.", "session_paused")
    if given.question:
        _check_waits(session, found, given.question)
    return Taken(found, _keep(session, operator, found, text, given.actor, via))


def _check_waits(session: Session, found: AgentSession, question_id: str) -> None:
    """Raise Conflict unless that very question waits, and no other answer is on its way to its pane.

    The session is locked, so of several answers at once one comes through.
    """
    asked = question_store.event(session, question_id)
    whose = (question_store.ASKED, found.owner_id, found.ref)
    if asked is None or (asked.type, asked.owner_id, asked.ref) != whose:
        raise Invalid("That is no question on this work item.", field="question")
    if not question_store.still_open(session, asked):
        last = question_store.last_answer(session, found.owner_id, found.ref)
        answered = last is not None and last.at >= asked.at
        said = (
            f"{last.actor} answered it before you."
            if last and answered
            else "Another took its place."
        )
        raise _closed(f"This question does not wait any more. {said}")
    other = store.on_its_way(session, found.id, clock.ago(STUCK_SECONDS))
    if found.transport == "tmux" and other is not None:
        raise _closed(f"An answer by {other.actor or 'the command line'} is just being brought.")


def _closed(detail: str) -> Conflict:
    return Conflict(f"{detail} Yours was not sent.", "question_closed")


def bring(
    lib: Plumbing, operator: Operator, taken: Taken, waiting: Waiting, *, comment: bool
) -> Outcome:
    """Paste what was written down where the session is a pane, and report it. Raises NotFound.

    To be called after the commit, with rows that can be read then.
    """
    found, message = taken.found, taken.message
    if found.transport == "mailbox":
        told = _queued(found)
    else:
        trouble = _paste(lib, operator, found, message)
        if trouble is not None:
            return Outcome([trouble], 1, message.id)
        told = f"Delivered to the pane {found.target}."
    warnings = reporting.report(lib, operator, found, message, waiting) if comment else []
    return Outcome([told, *warnings], 0, message.id)


def _check_text(given: str) -> str:
    # as the agent gets it, so that the report quotes just that: a lone CR would end the quotation
    text = framing.without_controls(given).strip()
    if is_blank(text):
        raise BadRequest("The answer is empty.", "empty_text", field="text")
    if len(text) > MAX_TEXT:
        raise Invalid(f"An answer has at most {MAX_TEXT} characters.", field="text")
    return text


def find(
    session: Session,
    operator: Operator,
    item: WorkItem,
    owner: Mapping[str, Any] | str | None = None,
) -> AgentSession:
    """The live session on the work item, locked. Raises NotFound, Conflict where several have one."""
    visible = operator.visible
    if owner is not None:
        visible = frozenset({owners.named(session, operator, owner).id})
    live = store.live(session, str(item), visible, locked=True)
    if not live:
        raise NotFound(GUIDANCE)
    if len(live) > 1:
        raise Conflict("Several owners have a session on this work item; say which owner's.")
    return live[0]


def _keep(
    session: Session, operator: Operator, found: AgentSession, text: str, claimed: str, via: str
) -> SessionMessage:
    """Write the answer down; into a mailbox it is brought by that."""
    message = SessionMessage(
        id=ids.new("session_message"),
        session_id=found.id,
        ref=found.ref,
        text=text,
        actor=operator.actor.name,
        actor_id=operator.actor.id,
        claimed_actor=one_line(claimed, MAX_ACTOR),
        via=via,
        state="queued",
        created_at=clock.now(),
    )
    session.add(message)
    session.flush()
    if found.transport == "mailbox":
        _note(session, operator, found, message)
    return message


def _note(
    session: Session, operator: Operator, found: AgentSession, message: SessionMessage
) -> None:
    said = {"via": message.via, "claimed_actor": message.claimed_actor, "message": message.id}
    at = question_store.in_turn(session, found.owner_id, found.ref)
    registry.note(session, operator.actor, "reply_sent", found, at, **said)


def _queued(found: AgentSession) -> str:
    if found.last_seen_at is None:
        return "Queued; the agent was never seen."
    minutes = int((clock.now() - found.last_seen_at).total_seconds() // 60)
    ago = "just now" if minutes < 1 else f"{minutes} minute{'s'[: minutes != 1]} ago"
    return f"Queued; the agent was last seen {ago}."


def _paste(
    lib: Plumbing, operator: Operator, found: AgentSession, message: SessionMessage
) -> str | None:
    """Paste the answer into the pane; None once it is there, else what tmux said. Raises NotFound."""
    assert found.target is not None
    framed = framing.frame(found.ref, message.text, message.actor)
    try:
        trouble = tmux.deliver(tmux.Pane(found.target, found.socket), framed, found.pane)
    except tmux.PaneGone as gone:
        _settle(lib, operator, found, message, gone.detail)
        raise
    _settle(lib, operator, found, message, trouble)
    return trouble


def _settle(
    lib: Plumbing,
    operator: Operator,
    found: AgentSession,
    message: SessionMessage,
    trouble: str | None,
) -> None:
    with lib.db.write() as session:
        kept = store.message(session, message.id)
        if trouble is not None:
            kept.state, kept.trouble = "failed", one_line(trouble, 300)
            return
        kept.state, kept.delivered_at = "delivered", clock.now()
        _note(session, operator, found, kept)
