"""Telling the owner of an answer that was not posted, or of which nobody can tell."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy.orm import Session

from switchboard.models import Reply
from switchboard.outbox import tell
from switchboard.replies import store

STATES = ("failed", "unknown")
TOLD = ("reply", "relay")  # a question is told by itself, a report matters to nobody who waits
MAX_SHOWN = 500  # characters of the answer's text


def tell_of(session: Session, reply_ids: Collection[str]) -> list[tell.Due]:
    """Tell of those that are in trouble, in the transaction that found out."""
    rows = store.by_ids(session, reply_ids) if reply_ids else []
    return [
        due
        for reply in rows
        if reply.state in STATES and reply.purpose in TOLD
        for due in tell.tell(session, _news(reply))
    ]


def _news(reply: Reply) -> tell.News:
    where = reply.address.get("display") or reply.address_key
    said = "was not posted" if reply.state == "failed" else "may or may not have been posted"
    why = f"{reply.error_class or ''} {reply.error_code or ''}".strip()
    shown = reply.text if len(reply.text) <= MAX_SHOWN else reply.text[:MAX_SHOWN] + "…"
    return tell.News(
        event="reply_failed",
        owner_id=reply.owner_id,
        about_id=reply.id,
        title=f"An answer to {where} {said}",
        text=f"Why: {why or 'nobody said'}.\n\n{shown}",
        path=f"/todos/{reply.todo_id}" if reply.todo_id else "/",
        place_id=reply.todo_id,
        answers=f"todo-comment:{reply.todo_id}" if reply.todo_id else None,
    )
