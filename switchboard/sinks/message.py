"""One message: the notices it tells, whom it goes to, and its words, the same for every kind of sink."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from switchboard.outbox.topics import TEST
from switchboard.providers.base import Notification
from switchboard.sinks import places

MOST_TOLD = 20  # notices written out in one message; the others are counted
URGENT = ("question", "fault")
MANY = {
    "question": "questions",
    "dead_letter": "todos were given up",
    "comment": "comments",
    "fault": "faults",
    "reply_failed": "answers were not posted",
    TEST: "tests",
}


@dataclass(frozen=True)
class Told:
    """One notice: what happened, in its words, and the address of its page."""

    title: str
    text: str
    url: str


@dataclass(frozen=True)
class Message:
    """What goes out at once. `place_id` is set where all of it is about one place that can be answered.

    `reader` is the account's name, where the sink reaches one person, `language` the one he chose, `token`
    what his mail's Reply-To carries. `answers` is how a notify service names the place; `settings_url`
    where he says what he wants.
    """

    id: str
    event: str
    told: tuple[Told, ...]
    sink_name: str
    settings_url: str
    place_id: str | None = None
    answers: str | None = None
    reader: str | None = None
    language: str | None = None
    token: str | None = field(default=None, repr=False)


def subject(message: Message) -> str:
    """One line: the latest, or how many there are."""
    count, latest = len(message.told), message.told[-1].title
    if count == 1:
        return latest
    if message.event == "comment":
        return f"{latest} ({count} comments)"
    return f"{count} {MANY[message.event]}, the latest: {latest}"


def body(message: Message) -> str:
    """What happened, one notice after the other, each with the address of its page."""
    shown = message.told[:MOST_TOLD]
    differ = len({each.title for each in message.told}) > 1
    parts = [_part(each, titled=differ) for each in shown]
    if left := len(message.told) - len(shown):
        parts.append(f"And {left} more.")
    return "\n\n".join(parts)


def _part(told: Told, *, titled: bool) -> str:
    lines = [told.title if titled else "", told.text, told.url]
    return "\n\n".join(line for line in lines if line)


def notification(message: Message) -> Notification:
    """The message for a sink that is no mail."""
    latest = message.told[-1]
    one = len(message.told) == 1
    answers = message.answers if message.reader else None
    return Notification(
        title=subject(message),
        text=latest.text if one else body(message),
        url=latest.url,
        urgent=message.event in URGENT,
        transaction=places.transaction(answers, message.reader or "") if answers else message.id,
        subscriber=message.reader or "",
        answerable=answers is not None,
    )


def as_told(row: Any, base_url: str) -> Told:
    """A notice of the outbox as it is told."""
    return Told(row.title, row.text, f"{base_url}{row.path}")
