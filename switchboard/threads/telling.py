"""Telling of a comment: whoever owns the thread or todo, opened or adopted it, or commented before."""

from __future__ import annotations

from sqlalchemy.orm import Session

from switchboard.models import Comment, Thread, Todo
from switchboard.outbox import tell
from switchboard.replies import marker
from switchboard.threads import comment_store, store
from switchboard.threads.people import Names

WORDS = {"ticket": "ticket-comment", "forum": "forum-reply", "landing": "landing-remark"}


def tell_of(session: Session, comment: Comment) -> list[tell.Due]:
    """Tell of a comment in the transaction that makes it; not whoever wrote it.

    What Switchboard composed itself, such as an agent's question, is told of as what it is.
    """
    if comment.author_account_id is None and marker.is_marked(comment.body):
        return []
    wrote = f"{_author(session, comment)} wrote:\n\n{comment.body}"
    if comment.thread_id:
        thread = store.by_id(session, comment.thread_id)
        return tell.tell(session, _on_thread(session, comment, thread, wrote)) if thread else []
    todo = comment_store.todo(session, comment.todo_id or "")
    return tell.tell(session, _on_todo(session, comment, todo, wrote)) if todo else []


def _author(session: Session, comment: Comment) -> str:
    label = Names(session, [comment]).author(comment) or {"somebody": "at the command line"}
    [(word, name)] = label.items()
    return name if word == "account" else f"{word} {name}".capitalize()


def _on_thread(session: Session, comment: Comment, thread: Thread, wrote: str) -> tell.News:
    [(_, _, repo, number)] = store.places(session, [thread.id])
    followers = {thread.author_account_id, thread.adopted_by_account_id}
    followers |= comment_store.authors(session, thread_id=thread.id)
    return tell.News(
        event="comment",
        owner_id=thread.owner_id,
        about_id=thread.id,
        title=f"{thread.title} ({repo}#{number})",
        text=wrote,
        path=f"/threads/{thread.id}",
        place_id=thread.id,
        answers=f"{WORDS[thread.kind]}:{comment.id}",
        followers={each for each in followers if each},
        by=comment.author_account_id,
    )


def _on_todo(session: Session, comment: Comment, todo: Todo, wrote: str) -> tell.News:
    return tell.News(
        event="comment",
        owner_id=todo.owner_id,
        about_id=todo.id,
        title=todo.title,
        text=wrote,
        path=f"/todos/{todo.id}",
        place_id=todo.id,
        answers=f"todo-comment:{comment.id}",
        followers={each for each in comment_store.authors(session, todo_id=todo.id) if each},
        by=comment.author_account_id,
    )
