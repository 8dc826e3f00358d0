"""Gathering what needs a human; pages, API and command line all show this list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from switchboard.access.principals import Operator
from switchboard.attention.connections import of_connections
from switchboard.attention.faults import of_faults
from switchboard.attention.need import KINDS, QUESTION, Need
from switchboard.attention.sources import of_sources
from switchboard.lib.plumbing import Plumbing
from switchboard.replies import summary
from switchboard.sessions import questions, refs
from switchboard.threads import attention as threads
from switchboard.todos import attention as todos

_ORDER = list(KINDS)
_PURPOSES = {
    "reply": "Reply to",
    "question": "Question on",
    "report": "Report on",
    "relay": "Answer by mail, relayed to",
}


def gather(lib: Plumbing, operator: Operator) -> list[Need]:
    """Everything in view that needs the operator: who waits for it, then what is broken.

    Each kind is bounded or as long as what somebody configured, so the list is always whole.
    Raises Unavailable.
    """
    found = [
        *_questions(lib, operator),
        *_vault(lib),
        *_dead_letters(lib, operator),
        *_replies(lib, operator),
        *of_connections(lib, operator),
        *of_faults(lib, operator),
        *of_sources(lib, operator),
        *_tickets(lib, operator),
    ]
    return sorted(found, key=lambda need: _ORDER.index(need.kind))


def _questions(lib: Plumbing, operator: Operator) -> Iterator[Need]:
    for asked in questions.open_questions(lib, operator):
        ref = asked["ref"]
        title = f"{asked['actor']} asks on {ref}"
        link = refs.question_page(ref, _name(asked["owner"]))
        yield Need(QUESTION, ref, title, asked["question"], link, asked["since"])


def _name(owner: Mapping[str, str]) -> str:
    return next(iter(owner.values()))


def _vault(lib: Plumbing) -> Iterator[Need]:
    if lib.settings["ENCRYPTION_KEY"] is None:
        yield Need(
            "encryption-key",
            "encryption_required",
            "No encryption key is set",
            "No secret can be stored or opened (encryption_required). "
            "Set SWITCHBOARD_ENCRYPTION_KEY and restart.",
            "/settings/connections",
        )


def _dead_letters(lib: Plumbing, operator: Operator) -> Iterator[Need]:
    for todo in todos.dead_letters(lib, operator):
        yield Need(
            "dead-letter",
            f"todo:{todo['id']}",
            todo["title"],
            f"Given up after {todo['failures']} failed attempts: {todo['last_failure']}.",
            f"/todos/{todo['id']}",
            todo["dead_lettered_at"],
        )


def _replies(lib: Plumbing, operator: Operator) -> Iterator[Need]:
    why = {
        "failed": "It was not posted",
        "unknown": "Nobody can tell whether it was posted; look there before you answer again",
    }
    for reply in summary.troubled(lib, operator):
        cause = " ".join(part for part in (reply["error_class"], reply["error_code"]) if part)
        todo = reply["todo"]
        ref = f"todo:{todo}" if todo else str(refs.for_address(lib, reply["address"]))
        yield Need(
            f"reply-{reply['state']}",
            ref,
            f"{_PURPOSES[reply['purpose']]} {reply['display']}",
            f"{why[reply['state']]} ({cause}).",
            f"/todos/{todo}" if todo else refs.question_page(ref, _name(reply["owner"])),
            reply["finished_at"],
        )


def _tickets(lib: Plumbing, operator: Operator) -> Iterator[Need]:
    for ticket in threads.unadopted(lib, operator):
        yield Need(
            "ticket-unadopted",
            ticket["ref"],
            ticket["title"],
            f"{ticket['ref']} was opened over a day ago and nobody has adopted it.",
            f"/threads/{ticket['id']}",
            ticket["created_at"],
        )
