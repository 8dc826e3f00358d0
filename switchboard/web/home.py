"""The home page: what needs me, then the last deliveries."""

from __future__ import annotations

from flask import render_template
from flask.typing import ResponseReturnValue

from switchboard.attention.gather import gather
from switchboard.web import log, needs
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.session import operator


@pages.get("/")
def home() -> ResponseReturnValue:
    """What needs me."""
    return render_template(
        "home.html",
        needs=gather(plumbing(), operator()),
        words=needs.WORDS,
        steps=needs.first_steps(),
        panel=log.panel(),
    )
