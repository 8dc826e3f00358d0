"""A question becomes a wait that humans see: a line of the event log, and word to its owner, once."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from switchboard.access.principals import Owner
from switchboard.events import log
from switchboard.events.log import Actor
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.models import Event
from switchboard.outbox import tell
from switchboard.replies import marker
from switchboard.sessions import question_store, refs, registry
from switchboard.sessions.commenting import Said
from switchboard.sessions.posted import comments_of
from switchboard.sessions.refs import WorkItem


@dataclass(frozen=True)
class Asking:
    """A question ready to be asked: checked, and known whose it is."""

    item: WorkItem
    text: str
    owner: Owner
    by: Actor
    claimed: str
    session_id: str | None
    key: str

    @property
    def stamped(self) -> str:
        """The question as it is posted, marked and saying whose it is."""
        who = self.by.name if self.by.id else f"an agent of {self.owner.name}"
        return marker.stamp(self.text, f"a question of {who}, which waits for an answer")


def record(lib: Plumbing, asking: Asking, said: Said) -> bool:
    """Make the wait visible. The one place where a question becomes known to humans.

    False where that very question waits already and there is nothing new to say of it: it was asked at the
    same time, or its comment failed once more. Whoever is told of it is told once.
    """
    ref, owner_id = str(asking.item), asking.owner.id
    with lib.db.write() as session:
        if asking.session_id:
            registry.seen(session, asking.session_id)
        at = question_store.in_turn(session, owner_id, ref)
        earlier = waiting_already(session, asking)
        if earlier is not None and not _is_news(session, earlier, said):
            return False
        event_id = log.append(session, asking.by, _asked(asking, said), at=at)
        due = [] if earlier else tell.tell(session, _news(asking, event_id))
    tell.ring(lib, due)
    return True


def _is_news(session: Session, earlier: Event, said: Said) -> bool:
    """Whether more became of its comment this time than the last, which surely failed."""
    if not comments_of(session, [earlier])[earlier.id].failed:
        return False
    known = question_store.comments(session, [said.reply_id] if said.reply_id else [])
    return said.posted or any(state != "failed" for state, _ in known.values())


def _asked(asking: Asking, said: Said) -> log.Happened:
    ref = str(asking.item)
    data = {
        "work_item": ref,
        "question": asking.text,
        "actor": asking.claimed,
        "comment_url": said.url,
        "comment_posted": said.posted,
        "reply": said.reply_id,
    }
    if not said.posted:
        data |= {"level": "warning", "reason": said.reason}
    return log.Happened(
        question_store.ASKED,
        asking.owner.id,
        asking.session_id,
        one_line(ref, 100),
        ref=ref,
        data=data,
    )


def _news(asking: Asking, event_id: str) -> tell.News:
    """What the owner is told; a mail's reply answers this very question, by the id of its event."""
    ref = str(asking.item)
    return tell.News(
        event="question",
        owner_id=asking.owner.id,
        about_id=event_id,
        title=f"{asking.by.name} asks on {ref}",
        text=asking.text,
        path=refs.question_page(ref, asking.owner.name),
        place_id=event_id,
        answers=f"question:{ref}",
    )


def waiting_already(session: Session, asking: Asking) -> Event | None:
    """The same question where it waits already."""
    waiting = question_store.open_now(session, [asking.owner.id], str(asking.item))
    return waiting[0] if waiting and waiting[0].data["question"] == asking.text else None
