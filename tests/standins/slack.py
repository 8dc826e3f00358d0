"""The Slack we script, on `standins/scripted.py`. Knows nothing of the product.

with SlackStandIn() as slack:
    slack.program(["not_in_channel"])     # then the default again
    ...
    assert [post.json["text"] for post in slack.posts] == ["On it."]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.standins.github import Request
from tests.standins.scripted import Provider, Route, StandIn

TEAM, BOT = "T0AB1CD2E", "B0FIXER01"
POST = "/api/chat.postMessage"
SLACK = Provider(
    name="slack",
    routes=(Route("POST", POST, "posted"), Route("POST", "/api/auth.test", "tested")),
    knows=lambda headers: headers.get("authorization", "").startswith("Bearer "),
    stranger="not_authed",
    lost="unknown_method",
    facts={"team": TEAM, "bot": BOT},
)


class SlackStandIn(StandIn):
    """The running stand-in; a context manager. `url` is the base of its Web API."""

    def __init__(self) -> None:
        super().__init__(SLACK)
        self.url += "/api"

    @property
    def posts(self) -> list[Request]:
        """Every chat.postMessage so far, whatever it was answered."""
        return [one for one in self.requests if one.path == POST]

    def facts(self, payload: Any, number: int, own: str) -> Mapping[str, Any]:
        """Whatever the call said, and the time that the message got."""
        said = payload if isinstance(payload, dict) else {}
        unsaid = {"thread_ts": "", "channel": "", "text": ""}
        return {"ts": f"1767260000.{number:06d}", **unsaid, **said}
