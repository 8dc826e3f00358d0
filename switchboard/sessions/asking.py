"""An agent asks: a comment on its work item, and a wait that humans see even where the comment failed.

From the command line all of it happens in the calling process, which needs the database and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import owners
from switchboard.access.principals import Agent, Machine, Owner
from switchboard.errors import BadRequest, Conflict, Forbidden, Invalid, Problem
from switchboard.events.log import Actor
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean, one_line
from switchboard.models import Todo
from switchboard.replies import posting
from switchboard.replies.accept import MAX_TEXT, Waiting, is_blank
from switchboard.replies.posting import Post
from switchboard.sessions import (
    commenting,
    held,
    held_store,
    question_store,
    refs,
    registry,
    store,
    waits,
)
from switchboard.sessions.commenting import Said
from switchboard.sessions.posted import comments_of
from switchboard.sessions.refs import WorkItem
from switchboard.sessions.waits import Asking

PURPOSE = "question"
MAX_ACTOR = 100
NOT_HELD = (
    "Nothing was posted: the endpoint holds no todo of this work item. The question is recorded."
)


@dataclass(frozen=True)
class Question:
    """What to ask on which work item. `actor` is who asks, as the caller says: recorded, never trusted.

    `owner` says at the command line whose it is, where there are several.
    """

    ref: str
    question: str
    actor: str = ""
    owner: Mapping[str, Any] | str | None = None


@dataclass(frozen=True)
class Asked:
    """What became of a question. `posted` says that its comment surely stands on the work item.

    `duplicate`: it was asked before and is still open, so nothing new was posted or recorded.
    """

    ref: str
    posted: bool
    comment_url: str
    duplicate: bool = False
    messages: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 only if the comment was posted."""
        return 0 if self.posted else 1

    def as_dict(self) -> dict[str, Any]:
        """What the caller is told."""
        return {
            "ref": self.ref,
            "comment_posted": self.posted,
            "comment_url": self.comment_url,
            "duplicate": self.duplicate,
            "messages": self.messages,
            "exitCode": self.exit_code,
        }


def ask_here(lib: Plumbing, machine: Machine, question: Question) -> Asked:
    """Ask from the command line, on any work item that the owner's connections admit.

    Raises BadRequest `malformed_ref` or `empty_text`, Invalid for a text too long or an owner not named,
    NotFound for an owner who is not there: then nothing was posted and nothing recorded.
    """
    item, text = refs.parse(lib, question.ref), _check_text(question.question)
    with lib.db.read() as session:
        owner = registry.whose(session, machine, item, question.owner)
        asking = _prepare(session, item, text, owner, machine.actor, question.actor)
        earlier = _still_open(session, asking)
    if earlier is not None:
        return earlier

    def say() -> Said:
        address = refs.address_of(lib, item)
        if address is None:
            return commenting.on_own_thread(lib, machine, item, None, asking.stamped, "cli")
        post = Post(PURPOSE, owner, address, asking.stamped, asking.key)
        return commenting.at_provider(lib, post, lambda row: posting.dial_here(lib, row))

    return _ask(lib, asking, say)


def ask(lib: Plumbing, agent: Agent, question: Question, waiting: Waiting, *, via: str) -> Asked:
    """Ask for an agent: posted only on the work item of a todo it holds and with the `reply` verb.

    Otherwise nothing is posted and the wait is recorded all the same. `via` is the door it came by. Raises
    Forbidden without the `session` verbs, BadRequest and Invalid as `ask_here`, Conflict `not_claimed`
    where it holds no todo and another agent waits.
    """
    agent.require(registry.FAMILY)
    item, text = refs.parse(lib, question.ref), _check_text(question.question)
    with lib.db.read() as session:
        owner = owners.by_id(session, agent.owner_id)
        asking = _prepare(session, item, text, owner, agent.actor, question.actor)
        earlier = _still_open(session, asking)
        todo = held.todo_of(lib, session, agent, item)
        if todo is None:
            _check_free(session, agent, asking)
        aimed = todo is not None and held_store.agent_knows_secret(session, todo)
    if earlier is not None:
        return earlier

    def say() -> Said:
        if todo is None:
            raise Forbidden(NOT_HELD)
        agent.require("reply")
        if item.kind in refs.OWN_KINDS:
            return commenting.on_own_thread(lib, agent, item, todo.id, asking.stamped, via)
        post = _post_of(asking, todo, agent, aimed)
        return commenting.at_provider(
            lib, post, lambda row: posting.have_dialled(lib, row, waiting)
        )

    return _ask(lib, asking, say)


def _check_text(given: str) -> str:
    text = clean(given).replace("\r\n", "\n").strip()
    if is_blank(text):
        raise BadRequest("The question is empty.", "empty_text", field="question")
    if len(text) > MAX_TEXT:
        raise Invalid(f"A question has at most {MAX_TEXT} characters.", field="question")
    return text


def _prepare(
    session: Session, item: WorkItem, text: str, owner: Owner, by: Actor, claimed: str
) -> Asking:
    live = store.live(session, str(item), [owner.id])
    answered = question_store.last_answer(session, owner.id, str(item))
    told = "\0".join((owner.id, str(item), text, answered.id if answered else ""))
    return Asking(
        item,
        text,
        owner,
        by,
        one_line(claimed, MAX_ACTOR),
        live[0].id if live else None,
        hashlib.sha256(told.encode()).hexdigest(),
    )


def _still_open(session: Session, asking: Asking) -> Asked | None:
    """The same question where it waits already; not one whose comment failed, which is tried again."""
    earlier = waits.waiting_already(session, asking)
    if earlier is None:
        return None
    comment = comments_of(session, [earlier])[earlier.id]
    if comment.failed:
        return None
    said = ["Asked before and still open; it is not asked twice.", comment.reason]
    return Asked(
        str(asking.item), comment.posted, comment.url, True, [each for each in said if each]
    )


def _check_free(session: Session, agent: Agent, asking: Asking) -> None:
    """Raise Conflict for a work item that the agent does not hold and where another one waits.

    The answer would go to that one, who had asked something else.
    """
    ref, owner_id = str(asking.item), asking.owner.id
    others = [each.endpoint_id for each in store.live(session, ref, [owner_id])]
    others += [each.actor_id for each in question_store.open_now(session, [owner_id], ref)]
    if any(each != agent.endpoint_id for each in others):
        raise Conflict(
            "Another agent works on this work item. Claim its todo to ask here.",
            "not_claimed",
            field="ref",
        )


def _post_of(asking: Asking, todo: Todo, agent: Agent, aimed: bool) -> Post:
    assert todo.reply_to is not None  # it was found by its address
    return Post(
        PURPOSE,
        asking.owner,
        todo.reply_to,
        asking.stamped,
        asking.key,
        todo_id=todo.id,
        endpoint_id=agent.endpoint_id,
        aimed_by_agent=aimed,
    )


def _ask(lib: Plumbing, asking: Asking, say: Callable[[], Said]) -> Asked:
    try:
        said = say()
    except Problem as problem:
        said = Said(False, reason=problem.detail)
    anew = waits.record(lib, asking, said)
    url = [said.url] if said.url else []
    return Asked(
        str(asking.item),
        said.posted,
        said.url,
        duplicate=not anew,
        messages=[" ".join(["Posted.", *url]) if said.posted else said.reason],
    )
