"""The home page: what needs me, the questions of agents first, then the last deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import render_template
from flask.typing import ResponseReturnValue

from switchboard.attention.gather import gather
from switchboard.attention.need import QUESTION, Need
from switchboard.web import log, needs, questions
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.session import operator


@pages.get("/")
def home() -> ResponseReturnValue:
    """What needs me. A question is a card with its reply box, all else a line."""
    asked = questions.cards()
    return render_template(
        "home.html",
        questions=asked,
        may_answer=questions.LETTER in operator().letters,
        needs=_lines(gather(plumbing(), operator()), asked),
        words=needs.WORDS,
        steps=needs.first_steps(),
        panel=log.panel(),
    )


def _lines(found: Sequence[Need], cards: Sequence[dict[str, Any]]) -> list[Need]:
    """What is not shown as a card already."""
    shown = {card["page"] for card in cards}
    return [need for need in found if need.kind != QUESTION or need.link not in shown]
