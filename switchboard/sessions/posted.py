"""What became of the comments that questions were posted as: as of now, which the event log cannot know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.models import Event
from switchboard.sessions import question_store


@dataclass(frozen=True)
class Comment:
    """What became of a question's comment, as of now; `failed`: it surely does not stand there."""

    posted: bool
    url: str
    failed: bool
    reason: str


def comments_of(session: Session, asked: Sequence[Event]) -> dict[str, Comment]:
    """Event id → the comment of each of these questions."""
    rows = question_store.comments(
        session, [each.data["reply"] for each in asked if each.data["reply"]]
    )
    return {each.id: _comment(each.data, rows.get(each.data["reply"] or "")) for each in asked}


def _comment(told: Mapping[str, Any], now: tuple[str, str | None] | None) -> Comment:
    state = ("sent" if told["comment_posted"] else "failed") if now is None else now[0]
    url = told["comment_url"] if now is None else now[1] or ""
    posted = state == "sent"
    return Comment(posted, url, state == "failed", "" if posted else told.get("reason", ""))
