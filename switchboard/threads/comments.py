"""Comments: on a thread by whoever sees it, on a todo by whoever sees it or the endpoint that held it.

What is said on a todo that stands for a ticket is said on the ticket; other todos keep their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import letters
from switchboard.access.principals import Agent, Operator
from switchboard.errors import Conflict, NotFound
from switchboard.lib import clock, ids
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Comment, Thread, Todo
from switchboard.outbox import tell
from switchboard.threads import comment_store, refs, store, telling, texts
from switchboard.threads.mirrors import refuse_mirror
from switchboard.threads.people import Names

LETTER = {"ticket": "c", "forum": "f", "landing": "l"}
TODO_LETTER = "c"


@dataclass(frozen=True)
class Page:
    """Comments, oldest first, and the `after` of the next page (None: there is none)."""

    comments: list[dict[str, Any]]
    next: str | None


@dataclass(frozen=True)
class Mail:
    """What a comment keeps of the mail it came by.

    `quoted` is the text before anything was cut, `attachments` names and sizes (bytes), `note` what a
    reader should know.
    """

    delivery_id: str
    quoted: str | None
    attachments: list[dict[str, Any]]
    note: str | None = None


def add(lib: Plumbing, operator: Operator, ref: str, body: str, *, via: str) -> dict[str, Any]:
    """Comment on a thread; `via` is the door it came by.

    Raises NotFound, Forbidden `missing_capability`, Invalid also as `mirror_read_only`.
    """
    with lib.db.write() as session:
        thread, _ = refs.find(session, operator, ref)
        require_letter(operator, thread)
        refuse_mirror(thread)
        said, due = write(session, body, via, thread_id=thread.id, account_id=operator.creator_id)
    tell.ring(lib, due)
    return said


def require_letter(operator: Operator, thread: Thread) -> None:
    """Raise Forbidden `missing_capability` unless the operator may write on a thread of that kind."""
    letters.require(operator.letters, LETTER[thread.kind], "Your account")


def add_on_todo(
    lib: Plumbing, who: Operator | Agent, todo_id: str, body: str, *, via: str
) -> dict[str, Any]:
    """Comment on a todo in the operator's view, or one that the agent's endpoint holds or held.

    Raises NotFound, Conflict `not_claimed`, Forbidden, Invalid also as `mirror_read_only`.
    """
    with lib.db.write() as session:
        todo = _todo(session, who, todo_id)
        _may_comment(who, todo)
        if todo.thread_id and (thread := store.by_id(session, todo.thread_id)):
            refuse_mirror(thread)
        place: dict[str, Any] = (
            {"thread_id": todo.thread_id} if todo.thread_id else {"todo_id": todo.id}
        )
        by: dict[str, Any] = (
            {"endpoint_id": who.endpoint_id}
            if isinstance(who, Agent)
            else {"account_id": who.creator_id}
        )
        said, due = write(session, body, via, **place, **by)
    tell.ring(lib, due)
    return said


def _todo(session: Session, who: Operator | Agent, todo_id: str) -> Todo:
    found = None
    if isinstance(who, Agent):
        who.require("drain")
    if ids.is_id(todo_id, "todo"):
        found = (
            comment_store.todo_of_endpoint(session, who.endpoint_id, todo_id)
            if isinstance(who, Agent)
            else comment_store.todo_in_view(session, who.visible, todo_id)
        )
    if found is None:
        raise NotFound("There is no such todo.")
    return found


def _may_comment(who: Operator | Agent, todo: Todo) -> None:
    if isinstance(who, Operator):
        letters.require(who.letters, TODO_LETTER, "Your account")
        return
    if who.letters is not None:
        letters.require(who.letters, TODO_LETTER, "Whoever vended this endpoint")
    if todo.attempt == 0:
        raise Conflict("The todo was never claimed. Claim it first.", "not_claimed")


def write(
    session: Session,
    given: str,
    via: str,
    *,
    thread_id: str | None = None,
    todo_id: str | None = None,
    account_id: str | None = None,
    endpoint_id: str | None = None,
    mail: Mail | None = None,
) -> tuple[dict[str, Any], list[tell.Due]]:
    """Write a comment in the caller's transaction, who has seen that it may be: as JSON, and who is told.

    Raises Invalid for a text that cannot be one.
    """
    comment = Comment(
        id=ids.new("comment"),
        thread_id=thread_id,
        todo_id=todo_id,
        author_account_id=account_id,
        author_endpoint_id=endpoint_id,
        via=via,
        body=texts.check_body(given),
        created_at=clock.now(),
        **(vars(mail) if mail else {}),
    )
    comment_store.add(session, comment)
    return _describe(session, [comment])[0], telling.tell_of(session, comment)


def of_todo(
    lib: Plumbing,
    who: Operator | Agent,
    todo_id: str,
    *,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """What was said on a todo, or on the ticket it stands for. Raises NotFound."""
    with lib.db.read() as session:
        todo = _todo(session, who, todo_id)
        return page_of(session, thread_id=todo.thread_id, todo_id=todo.id, after=after, limit=limit)


def page_of(
    session: Session,
    *,
    thread_id: str | None,
    todo_id: str | None = None,
    after: str | None,
    limit: int,
) -> Page:
    """A page of a thread's comments, or of a todo's without a thread. The caller checks the scope."""
    size = max(1, min(limit, MAX_LIMIT))
    found = comment_store.of_place(
        session, thread_id=thread_id, todo_id=todo_id, after=after, limit=size + 1
    )
    shown = _describe(session, found[:size])
    return Page(shown, shown[-1]["id"] if len(found) > size else None)


def _describe(session: Session, rows: list[Comment]) -> list[dict[str, Any]]:
    names = Names(session, rows)
    return [
        {
            "id": comment.id,
            "thread": comment.thread_id,
            "todo": comment.todo_id,
            "author": names.author(comment),
            "via": comment.via,
            "body": comment.body,
            "delivery": names.delivery(comment),
            **_of_mail(comment),
            "created_at": clock.iso(comment.created_at),
        }
        for comment in rows
    ]


def _of_mail(comment: Comment) -> dict[str, Any]:
    """What only a comment that came by mail has."""
    if comment.attachments is None:
        return {}
    return {
        "quoted": comment.quoted,
        "attachments": comment.attachments,
        "note": comment.note,
    }
