"""Somebody to ask and somebody who answers: what the tests of sessions say in a user's words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from werkzeug.test import TestResponse

from switchboard.access import login
from switchboard.access.endpoints import Vended
from switchboard.access.principals import Machine, Operator
from switchboard.sessions import asking, questions
from switchboard.sessions.asking import Asked, Question
from tests.world import World

REF = "github:acme/rocket#7"
VERBS = ["drain", "reply", "session"]


@dataclass
class Desk:
    """A world whose agent has the session verbs and holds the todo of issue 7."""

    world: World

    @cached_property
    def agent(self) -> Vended:
        self.world.endpoint = self.world.vend("asker", verbs=VERBS)
        return self.world.endpoint

    @cached_property
    def todo(self) -> dict[str, Any]:
        assert self.agent
        return self.world.claimed(7)

    def ask(self, question: str = "Which way?", ref: str = REF, **more: Any) -> TestResponse:
        return self.world.agent("POST", "/sessions/ask", {"ref": ref, "question": question, **more})

    def ask_here(self, question: str = "Which way?", ref: str = REF, **more: Any) -> Asked:
        return asking.ask_here(self.world.lib, Machine(), Question(ref, question, **more))

    def register(self, ref: str = REF, by: Vended | None = None) -> TestResponse:
        return self.world.agent("POST", "/sessions", {"ref": ref}, by=by)

    def answer(self, text: str = "Left.", ref: str = REF, **more: Any) -> TestResponse:
        return self.world.operator("POST", "/sessions/reply", {"ref": ref, "text": text, **more})

    def collect(self, ref: str = REF, wait: str = "", by: Vended | None = None) -> TestResponse:
        return self.world.agent(
            "GET", f"/sessions/inbox?ref={ref.replace('#', '%23')}&wait={wait}", by=by
        )

    def events(self, ref: str = REF) -> list[dict[str, Any]]:
        path = f"/events?ref={ref.replace('#', '%23')}"
        found: list[dict[str, Any]] = self.world.operator("GET", path).json["events"]
        return found

    @property
    def operator(self) -> Operator:
        """The human, as the doors know them."""
        return login.with_token(self.world.lib, self.world.operator_token)

    def open(self) -> list[dict[str, Any]]:
        """The open questions in the human's view."""
        return questions.open_questions(self.world.lib, self.operator)

    def about(self, ref: str = REF) -> dict[str, Any]:
        """All that the human is shown on a work item."""
        return questions.about(self.world.lib, self.operator, ref)
