"""What a source's delivery files: a ticket, a comment, a verdict, inside the delivery's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from switchboard.errors import Invalid
from switchboard.lib import ids
from switchboard.lib.text import one_line
from switchboard.models import Comment, Thread
from switchboard.outbox import tell
from switchboard.providers.base import Check, Remark, Ticket
from switchboard.threads import comment_store, refs, store, telling, texts, verdict_store
from switchboard.threads.mirrors import refuse_mirror

VIA = "source"
CODE = "unmappable"
MAX_NAME = 128  # characters of a verdict's name


@dataclass(frozen=True)
class Filer:
    """The source that files, where, by which delivery, and when (UTC)."""

    repo_id: str
    repo_name: str
    source_id: str
    source_name: str
    owner_account_id: str | None
    owner_team_id: str | None
    delivery_id: str
    now: datetime

    @property
    def owner(self) -> dict[str, str | None]:
        """The owner pair as column values."""
        return {"owner_account_id": self.owner_account_id, "owner_team_id": self.owner_team_id}


@dataclass(frozen=True)
class Filed:
    """What was made. `ref`, `thread_id` and `number` are those of the ticket it is or belongs to.

    `due` is who is told of it, to be rung for after the commit.
    """

    type: str
    id: str
    ref: str | None = None
    thread_id: str | None = None
    number: int | None = None
    due: Sequence[tell.Due] = ()

    def as_dict(self) -> dict[str, Any]:
        """What the sender and the record are told of it."""
        shown: dict[str, Any] = {"type": self.type, "id": self.id}
        if self.type == "ticket":
            shown |= {"number": self.number, "ref": self.ref}
        return shown


def open_ticket(session: Session, by: Filer, ticket: Ticket) -> Filed:
    """Open a ticket; the source's name stands in its body, as nothing proved who wrote it.

    Raises Invalid `unmappable` naming the field that is empty or too long.
    """
    title, body = texts.check_title(ticket.title, CODE), _signed_body(by, ticket.body)
    labels = texts.check_labels(ticket.labels, CODE)
    number, thread_id = store.next_number(session, by.repo_id), ids.new("thread")
    store.insert_thread(
        session,
        {
            "id": thread_id,
            "repo_id": by.repo_id,
            "number": number,
            "kind": "ticket",
            "title": title,
            "body": body,
            "labels": labels,
            "author_source_id": by.source_id,
            "via": VIA,
            "delivery_id": by.delivery_id,
            "created_at": by.now,
            "commented_at": by.now,
            **by.owner,
        },
    )
    return Filed("ticket", thread_id, _ref(by, number), thread_id, number)


def _ref(by: Filer, number: int) -> str:
    return refs.ref("ticket", by.repo_name, number)


def _signed_body(by: Filer, given: str) -> str:
    body = texts.check_body(given, CODE, required=False).rstrip()
    line = f"Filed by the source {by.source_name}."
    return f"{body}\n\n{line}" if body else line


def remark(session: Session, by: Filer, remark: Remark) -> Filed:
    """Comment on a ticket of the source's repo.

    Raises Invalid `unmappable` for a ticket that is not there or an unusable body, `mirror_read_only`.
    """
    body = texts.check_body(remark.body, CODE)
    thread = _ticket(session, by, remark.ticket)
    refuse_mirror(thread)
    comment = Comment(
        id=ids.new("comment"),
        thread_id=thread.id,
        author_source_id=by.source_id,
        delivery_id=by.delivery_id,
        via=VIA,
        body=body,
        created_at=by.now,
    )
    comment_store.add(session, comment)
    due = telling.tell_of(session, comment)
    return Filed("comment", comment.id, _ref(by, thread.number), thread.id, thread.number, due)


def _ticket(session: Session, by: Filer, number: int) -> Thread:
    found = None
    if 1 <= number <= refs.MAX_NUMBER:
        found = store.numbered(session, by.repo_id, number)
    if found is None or found.kind != "ticket":
        raise Invalid(f"{by.repo_name} has no ticket {number}.", CODE, field="ticket")
    return found


def verdict(session: Session, by: Filer, check: Check) -> Filed:
    """Keep a CI verdict. Its fields are as the provider's module checked them."""
    verdict_id = ids.new("verdict")
    verdict_store.insert_verdict(
        session,
        {
            "id": verdict_id,
            "repo_id": by.repo_id,
            "commit": check.commit,
            "name": one_line(check.name, MAX_NAME),
            "state": check.state,
            "url": check.url,
            "summary": check.summary,
            "source_id": by.source_id,
            "delivery_id": by.delivery_id,
            "created_at": by.now,
            **by.owner,
        },
    )
    return Filed("verdict", verdict_id)
