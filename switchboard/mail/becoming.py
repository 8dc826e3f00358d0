"""What an answer becomes: a comment, the answer to an agent's question, and a relay to the origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import owners
from switchboard.access.principals import Operator
from switchboard.errors import BadRequest, Conflict, NotFound, Problem
from switchboard.lib import queue
from switchboard.lib.plumbing import Plumbing
from switchboard.mail import store
from switchboard.mail.extract import Reply
from switchboard.mail.places import Place
from switchboard.models import Event, Thread, Todo
from switchboard.outbox import tell
from switchboard.replies import posting
from switchboard.replies.accept import Waiting
from switchboard.replies.posting import Post
from switchboard.sessions import answering, held, questions, refs
from switchboard.sessions.answering import Answer
from switchboard.threads import comments
from switchboard.threads.comments import Mail
from switchboard.threads.mirrors import refuse_mirror

VIA = "email"
PURPOSE = "relay"
RELAY_LETTER = "x"
NOT_RELAYED = "not_relayed"
LATE = "An answer by mail to a question that had been answered, or asked anew, before it came."
ENDED = "An answer by mail; no agent waits for it any more, as its session has ended."
UNTYPED = (
    "An answer by mail that reached no agent: its pane is gone, or could not take it. "
    "The page of the question says which; while the session is there, answer again."
)


@dataclass(frozen=True)
class Made:
    """What became of an answer: for the record, and what is left to do after the commit.

    `excerpt` is what the mail said where no comment keeps it.
    """

    code: str
    reason: str
    artifacts: list[dict[str, Any]]
    due: Sequence[tell.Due] = ()
    relay_id: str | None = None
    answer: answering.Taken | None = field(default=None, repr=False)
    excerpt: str | None = None


def become(
    lib: Plumbing,
    session: Session,
    operator: Operator,
    place: Place,
    reply: Reply,
    *,
    delivery_id: str,
) -> Made:
    """Make it, in the caller's transaction, which is rolled back if a Problem is raised."""
    mail = _mail(reply, delivery_id)
    if isinstance(place.row, Event):
        return _answer(lib, session, operator, place.row, reply, mail)
    return _comment(lib, session, operator, place.row, reply, mail)


def _mail(reply: Reply, delivery_id: str, note: str | None = None) -> Mail:
    return Mail(delivery_id, reply.quoted, [vars(each) for each in reply.attachments], note)


def _comment(
    lib: Plumbing,
    session: Session,
    operator: Operator,
    row: Thread | Todo,
    reply: Reply,
    mail: Mail,
    code: str = "accepted",
) -> Made:
    """A comment where it belongs: what is said on a todo that stands for a thread is said there."""
    where: dict[str, Any] = {"todo_id": row.id}
    thread = row if isinstance(row, Thread) else None
    if isinstance(row, Todo) and row.thread_id:
        thread = store.thread(session, row.thread_id)
    if thread is not None:
        refuse_mirror(thread)
        where = {"thread_id": thread.id}
    said, due = comments.write(
        session, reply.text, VIA, account_id=operator.creator_id, mail=mail, **where
    )
    made: list[dict[str, Any]] = [{"type": "comment", "id": said["id"], **where}]
    reason = mail.note or f"It became a comment by {operator.name}."
    relay_id = None
    origin = row if isinstance(row, Todo) else store.todo_of_thread(session, row.id)
    if origin is not None and origin.reply_to and _may_relay(session, operator, mail.delivery_id):
        relay_id, trouble = _relay(lib, session, operator, origin, reply.text, said["id"])
        made += [{"type": "reply", "id": relay_id}] if relay_id else []
        reason += " It is relayed to where the work came from." if relay_id else f" {trouble}"
        code = NOT_RELAYED if code == "accepted" and not relay_id else code
    return Made(code, reason, made, due, relay_id)


def _may_relay(session: Session, operator: Operator, delivery_id: str) -> bool:
    """Whether both the person and the way by which it came hold the letter for it."""
    return RELAY_LETTER in operator.letters and RELAY_LETTER in store.letters_of(
        session, delivery_id
    )


def _relay(
    lib: Plumbing, session: Session, operator: Operator, todo: Todo, text: str, comment_id: str
) -> tuple[str | None, str]:
    """The row of the relay; or None and why there is none: the comment stands without it."""
    assert todo.reply_to is not None
    owner = owners.by_id(session, todo.owner_id)
    signed = f"{text.rstrip()}\n\n- {operator.name}, by mail"
    known = held.agent_knows_secret(session, todo)
    post = Post(PURPOSE, owner, todo.reply_to, signed, comment_id, aimed_by_agent=known)
    try:
        return posting.keep_in(lib, session, post), ""
    except Problem as problem:
        return None, f"It was not relayed: {problem.detail}"


def _answer(
    lib: Plumbing, session: Session, operator: Operator, asked: Event, reply: Reply, mail: Mail
) -> Made:
    """The answer to the very question that was asked; once that is answered, a late comment."""
    ref, owner_id = asked.ref or "", asked.owner_id or ""
    if not questions.still_open(session, asked):
        return _keep(lib, session, operator, asked, reply, mail, "late_answer", LATE)
    owner = owners.by_id(session, owner_id).label
    given = Answer(ref, reply.text, owner=owner, question=asked.id)
    try:
        taken = answering.take(lib, session, operator, given, via=VIA)
    except Conflict:  # somebody answers it at this moment
        return _keep(lib, session, operator, asked, reply, mail, "late_answer", LATE)
    except NotFound:
        return _keep(lib, session, operator, asked, reply, mail, "session_ended", ENDED)
    except BadRequest as problem:
        if problem.code != "session_paused":
            raise
        note = "An answer by mail that reached no agent, as the session is paused. Resume it first."
        return _keep(lib, session, operator, asked, reply, mail, "session_paused", note)
    made = [{"type": "answer", "id": taken.message.id}]
    reason = f"It answers the agent's question on {ref}."
    return Made("accepted", reason, made, answer=taken, excerpt=reply.quoted)


def _keep(
    lib: Plumbing,
    session: Session,
    operator: Operator,
    asked: Event,
    reply: Reply,
    mail: Mail,
    code: str,
    note: str,
) -> Made:
    """What reaches no agent is kept as a comment on the work item, where that has a place here."""
    row = _work_item(lib, session, asked)
    if row is None:
        reason = (
            f"{note} The work item has no place for comments here, so this delivery alone keeps it."
        )
        return Made(code, reason, [], excerpt=reply.quoted)
    noted = Mail(mail.delivery_id, mail.quoted, mail.attachments, note)
    return _comment(lib, session, operator, row, reply, noted, code)


def _work_item(lib: Plumbing, session: Session, asked: Event) -> Thread | Todo | None:
    item = refs.parse(lib, asked.ref or "")
    address = refs.address_of(lib, item)
    if address is not None:
        return store.todo_at(session, asked.owner_id or "", address["key"])
    where = held.place_of(session, item) or {}
    if thread_id := where.get("thread_id"):
        return store.thread(session, thread_id)
    return store.todo(session, where["todo_id"]) if "todo_id" in where else None


def keep_unbrought(
    lib: Plumbing,
    session: Session,
    operator: Operator,
    place: Place,
    reply: Reply,
    *,
    delivery_id: str,
) -> Made:
    """The comment that keeps an answer that did not get into its pane."""
    assert isinstance(place.row, Event)
    mail = _mail(reply, delivery_id)
    return _keep(lib, session, operator, place.row, reply, mail, "session_ended", UNTYPED)


def after(lib: Plumbing, operator: Operator, made: Made) -> bool:
    """Ring and bring, once all of it is committed; False where an answer did not reach its pane."""
    tell.ring(lib, made.due)
    if made.relay_id:
        queue.ring(lib.valkey, queue.DIAL_REPLY, made.relay_id)
    if made.answer is None:
        return True
    waiting = Waiting(1)
    waiting.enter()  # nobody waits for the report: this is a worker
    try:
        return answering.bring(lib, operator, made.answer, waiting, comment=True).exit_code == 0
    except NotFound:
        return False
