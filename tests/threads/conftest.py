"""A signed source that files, and people who look: ana, her team core, ben who is its member."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from werkzeug.test import TestResponse

from switchboard.access import accounts
from switchboard.inbound.sources import Added
from tests.world import World

TICKET = {"kind": "ticket", "title": "Nightly run failed", "body": "3 of 200 tests."}
COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"


@dataclass
class Filing:
    """One signed source and what it says."""

    world: World
    source: Added
    said: int = 0

    def say(self, body: Any, *, id: str | None = None) -> TestResponse:
        self.said += 1
        headers = {"X-Switchboard-Delivery": id or f"{self.source.source['name']}-{self.said}"}
        return self.world.signed(self.source, body, headers)

    def ticket(self, **changed: Any) -> dict[str, Any]:
        """The ticket it opens, as the sender is told of it."""
        answer = self.say({**TICKET, **changed})
        assert answer.status_code == 202, answer.json
        return answer.json["artifacts"][0]

    def check(self, state: str, **changed: Any) -> TestResponse:
        return self.say(
            {"kind": "checks", "commit": COMMIT, "name": "tests", "state": state, **changed}
        )


@pytest.fixture
def ci(world: World) -> Filing:
    """A source that may do everything a source can, with an endpoint to give work to."""
    assert world.endpoint
    return Filing(world, world.add_source("ci", "signed", repo="acme/rocket", letters="nck"))


@pytest.fixture
def add(world: World) -> Callable[..., dict[str, Any]]:
    """Open a thread as ana."""

    def add(**changed: Any) -> dict[str, Any]:
        body = {"repo": "acme/rocket", "kind": "ticket", "title": "It smokes", **changed}
        answer = world.operator("POST", "/threads", body)
        assert answer.status_code == 201, answer.json
        return answer.json

    return add


@pytest.fixture
def ben(world: World) -> Callable[..., TestResponse]:
    """Ben, a member of the team core that ana owns, calls the API."""
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    accounts.add_member(world.lib, "core", "ben", "member")
    token = accounts.mint_token(world.lib, "ben")
    return lambda method, path, body=None: world._call(method, path, body, token)
