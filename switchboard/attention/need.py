"""One thing that needs a human, and the kinds there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

QUESTION = "awaiting-input"

# Kind → what it says; docs/api.md lists the same. In this order they stand in the list.
KINDS = {
    QUESTION: "An agent asked and waits for an answer.",
    "encryption-key": "No encryption key is set, so no secret can be stored or opened.",
    "dead-letter": "A todo was given up after its last attempt.",
    "reply-failed": "A reply was not posted, in the last day.",
    "connection-fails": "A connection's last test failed.",
    "hook-fails": "The calls of an endpoint's notify hook fail, one after the other.",
    "sink-fails": "A notification was given up: its sink does not take it.",
    "reply-unknown": "Nobody can tell whether a reply was posted, in the last day.",
    "fault": "A fault stands.",
    "source-paused": "A source takes nothing until somebody resumes it.",
    "source-refuses": "A source has no target, or its last deliveries were all refused.",
    "connection-closed": "A provider asked to slow down; replies wait.",
    "ticket-unadopted": "A ticket that a source opened stands for over a day and nobody adopted it.",
}


@dataclass(frozen=True)
class Need:
    """One thing to look at.

    `ref` says which: the work item, for one that is none its id. `title` is what it is called, `detail`
    a sentence why, `link` the path of the page where it is mended, `since` RFC 3339 if that is known.
    """

    kind: str
    ref: str
    title: str
    detail: str
    link: str
    since: str | None = None

    def as_dict(self, base_url: str) -> dict[str, Any]:
        """As API and command line tell it, with an address that leads there from anywhere."""
        return {**vars(self), "link": base_url + self.link}
