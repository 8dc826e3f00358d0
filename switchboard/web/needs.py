"""In which words the home page marks what needs a human; and the first steps not yet taken."""

from __future__ import annotations

from dataclasses import dataclass

from flask import url_for

from switchboard.access import endpoints
from switchboard.inbound import deliveries
from switchboard.vault import connections
from switchboard.web import shelves
from switchboard.web.blueprint import plumbing
from switchboard.web.session import operator

# Kind of need → the word of its state
WORDS = {
    "awaiting-input": "waiting",
    "encryption-key": "failed",
    "dead-letter": "dead letter",
    "reply-failed": "failed",
    "connection-fails": "fails",
    "hook-fails": "fails",
    "reply-unknown": "unknown",
    "fault": "refused",
    "source-paused": "paused",
    "source-refuses": "refused",
    "connection-closed": "closed",
    "ticket-unadopted": "unadopted",
}


@dataclass(frozen=True)
class Step:
    """One of the first steps."""

    done: bool
    what: str
    why: str
    link: str


def first_steps() -> list[Step]:
    """The way from an empty instance to a first answer, ticked as it goes; empty once walked."""
    lib, mine = plumbing(), operator()
    steps = [
        Step(
            bool(endpoints.in_view(lib, mine)),
            "Vend an endpoint",
            "the credential an agent works with",
            url_for("pages.endpoints"),
        ),
        Step(
            bool(shelves.all_sources()),
            "Add a source",
            "who may write in, such as a GitHub webhook",
            url_for("pages.sources"),
        ),
        Step(
            bool(connections.in_view(lib, mine)),
            "Add a connection",
            "the credential answers are posted with",
            url_for("pages.connections"),
        ),
        Step(
            bool(deliveries.search(lib, mine, {"status": "accepted"}, limit=1).deliveries),
            "See the first delivery",
            "it becomes a todo on the endpoint's queue",
            url_for("pages.deliveries"),
        ),
    ]
    return [] if all(step.done for step in steps) else steps
