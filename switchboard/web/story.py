"""One todo's story, told in the order in which it happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from switchboard.errors import NotFound
from switchboard.inbound import deliveries
from switchboard.replies import summary
from switchboard.sessions import told
from switchboard.web.blueprint import plumbing
from switchboard.web.filters import times
from switchboard.web.log import word_of
from switchboard.web.session import operator

PURPOSES = {
    "reply": "Reply to",
    "question": "The question, posted to",
    "report": "The answer, reported to",
}


@dataclass(frozen=True)
class Chapter:
    """One row of the story: `kind` names what `thing` is, `word` its state."""

    kind: str
    word: str
    line: str
    at: str | None
    thing: dict[str, Any]


def tell(todo: dict[str, Any]) -> list[Chapter]:
    """From the delivery to the end, with what was asked, answered, replied; each opens to its detail."""
    said = [_told(each) for each in told.of_todo(plumbing(), operator(), todo)]
    for reply in summary.whole_of_todo(plumbing(), todo["id"]):
        said += [_reply(reply), *_echo(reply)]
    said.sort(key=lambda chapter: chapter.at or "")
    return [_delivery(todo), _made(todo), *_attempts(todo), *said, *_end(todo)]


def _delivery(todo: dict[str, Any]) -> Chapter:
    try:
        row = deliveries.whole(plumbing(), operator(), todo["delivery"] or "")
    except NotFound:
        gone = "Its delivery is no longer kept"
        return Chapter("gone", "expired", gone, None, {})
    line = f"Delivery from {row['source']}: {row['event_type']}"
    return Chapter("delivery", word_of(row), line, row["received_at"], row)


def _made(todo: dict[str, Any]) -> Chapter:
    line = f"Todo for {todo['endpoint']} on the queue {todo['queue']}"
    return Chapter("todo", "made", line, todo["created_at"], todo)


def _attempts(todo: dict[str, Any]) -> list[Chapter]:
    if not todo["attempt"]:
        return []
    line = f"Claimed {times(todo['attempt'])}"
    if todo["failures"]:
        line += f", {todo['failures']} of them failed"
    given_up = todo["failures"] and todo["state"] not in ("claimed", "done")
    word = "failed" if given_up else "claimed"
    return [Chapter("attempts", word, line, None, todo)]


def _told(said: dict[str, Any]) -> Chapter:
    if said["kind"] == "question":
        line = f"{said['actor']} asks"
    elif said["text"] is None:
        line = f"Answered elsewhere, says {said['actor'] or 'the command line'}"
    else:
        line = f"{said['actor'] or 'The command line'} answers, via {said['via']}"
    return Chapter(said["kind"], said["word"], line, said["at"], said)


def _reply(reply: dict[str, Any]) -> Chapter:
    at = reply["finished_at"] or reply["created_at"]
    line = f"{PURPOSES[reply['purpose']]} {reply['display']}"
    return Chapter("reply", reply["state"], line, at, reply)


def _echo(reply: dict[str, Any]) -> list[Chapter]:
    """The reply coming back as a delivery, as long as that is kept."""
    try:
        row = deliveries.whole(plumbing(), operator(), reply["echo"] or "")
    except NotFound:
        return []
    line = "It came back as a delivery and made no todo"
    return [Chapter("delivery", "echo", line, row["received_at"], row)]


def _end(todo: dict[str, Any]) -> list[Chapter]:
    if todo["state"] == "done":
        return [Chapter("end", "done", "Completed by the agent", todo["finished_at"], todo)]
    if todo["dead_lettered_at"]:
        line = "Given up: it stays here until a human retries it"
        return [Chapter("end", "dead letter", line, todo["dead_lettered_at"], todo)]
    if todo["state"] == "failed":
        line = "Failed by the agent, not to be tried again"
        return [Chapter("end", "failed", line, todo["finished_at"], todo)]
    return []
