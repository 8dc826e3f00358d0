"""The place that an answer goes to: a thread, a todo or a question, in the view of whoever answers."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from sqlalchemy.orm import Session

from switchboard.access.principals import Operator
from switchboard.errors import Invalid
from switchboard.lib import ids
from switchboard.mail import store
from switchboard.models import Event, Thread, Todo
from switchboard.sessions import answering, questions
from switchboard.threads import comments


@dataclass(frozen=True)
class Place:
    """One place. `row` is the thread, todo or the event of a question; `path` its page."""

    row: Thread | Todo | Event
    owner_id: str
    letter: str
    path: str


def find(session: Session, operator: Operator, place_id: str) -> Place:
    """The place of that id. Raises Invalid `unmappable` where it is gone, or out of the operator's view."""
    found = _find(session, place_id)
    visible = operator.visible
    if found is None or (visible is not None and found.owner_id not in visible):
        raise unmappable("What this answers is not there any more, or not in your view.")
    return found


def unmappable(detail: str, field: str | None = None) -> Invalid:
    """The refusal of what cannot be told to be an answer to anything."""
    return Invalid(detail, "unmappable", field=field)


def _find(session: Session, place_id: str) -> Place | None:
    if ids.is_id(place_id, "thread") and (thread := store.thread(session, place_id)):
        return Place(thread, thread.owner_id, comments.LETTER[thread.kind], f"/threads/{thread.id}")
    if ids.is_id(place_id, "todo") and (todo := store.todo(session, place_id)):
        return Place(todo, todo.owner_id, comments.TODO_LETTER, f"/todos/{todo.id}")
    if ids.is_id(place_id, "event") and (asked := questions.asked(session, place_id)):
        path = f"/question?ref={quote(asked.ref or '', safe=':/')}"
        return Place(asked, asked.owner_id or "", answering.LETTER, path)
    return None


def path_of(session: Session, place_id: str) -> str:
    """The page of a place, whoever asks; the front page where it is gone."""
    found = _find(session, place_id)
    return found.path if found else "/"
