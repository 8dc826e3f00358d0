"""What was asked and answered while a todo was worked on, for its story."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switchboard.access.principals import Operator
from switchboard.errors import BadRequest, NotFound
from switchboard.lib.plumbing import Plumbing
from switchboard.sessions import question_store, questions, refs


def of_todo(lib: Plumbing, operator: Operator, todo: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Questions and answers on the todo's work items since it was made, oldest first.

    Each is `{kind: "question" | "answer", at, word, actor, text, url, via}`; `word` is how it stands.
    """
    told = [each for ref in _refs(lib, todo) for each in _on(lib, operator, ref, todo)]
    return sorted((each for each in told if each["at"] >= todo["created_at"]), key=_at)


def _at(told: Mapping[str, Any]) -> str:
    return str(told["at"])


def _refs(lib: Plumbing, todo: Mapping[str, Any]) -> list[str]:
    """The work items that a todo is about: itself, its ticket, the place it came from."""
    found = [f"todo:{todo['id']}"]
    if todo["thread"]:
        found.append(todo["thread"]["ref"])
    if todo["reply_to"]:
        found.append(str(refs.for_address(lib, todo["reply_to"])))
    return found


def _on(
    lib: Plumbing, operator: Operator, ref: str, todo: Mapping[str, Any]
) -> list[dict[str, Any]]:
    try:
        found = questions.about(lib, operator, ref, todo["owner"])
    except (NotFound, BadRequest):  # nothing was asked there, or it is no work item
        return []
    waits = found["open"]["id"] if found["open"] else None
    asked = [_question(each, waits) for each in found["history"] if _is(each, question_store.ASKED)]
    elsewhere = [
        _elsewhere(each)
        for each in found["history"]
        if _is(each, question_store.ANSWERED) and each["data"].get("via") == questions.VIA_TICKET
    ]
    return [*asked, *elsewhere, *map(_answer, found["receipts"])]


def _is(event: Mapping[str, Any], type: str) -> bool:
    return bool(event["type"] == type)


def _question(event: Mapping[str, Any], waits: str | None) -> dict[str, Any]:
    data = event["data"]
    return {
        "kind": "question",
        "at": event["at"],
        "word": "waiting" if event["id"] == waits else "asked",
        "actor": event["actor"],
        "text": data["question"],
        "url": data["comment_url"],
        "via": None,
    }


def _elsewhere(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "answer",
        "at": event["at"],
        "word": "answered",
        "actor": event["actor"],
        "text": None,
        "url": None,
        "via": event["data"]["via"],
    }


def _answer(receipt: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "answer",
        "at": receipt["created_at"],
        "word": receipt["state"],
        "actor": receipt["actor"],
        "text": receipt["text"],
        "url": None,
        "via": receipt["via"],
    }
