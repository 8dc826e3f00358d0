"""A human at the pages: signs in, reads, fills in forms as a browser would, token and all."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from switchboard.access import accounts
from tests.world import PASSWORD, World

_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


@dataclass
class Human:
    """One browser session of one person."""

    client: FlaskClient
    name: str

    def sign_in(self, **query: str) -> TestResponse:
        """Fill in the login form."""
        return self.send("/login", query=query, name=self.name, password=PASSWORD)

    def get(self, path: str, **wanted: Any) -> TestResponse:
        return self.client.get(path, **wanted)

    def read(self, path: str) -> str:
        """A page that must be there, entities resolved."""
        response = self.client.get(path)
        assert response.status_code == 200, (path, response.status_code, response.text)
        return html.unescape(response.text)

    def token(self, path: str) -> str:
        """The CSRF token of a page's form."""
        found = _TOKEN.search(self.client.get(path).text)
        assert found, f"no form at {path}"
        return found[1]

    def send(
        self, path: str, *, seen_at: str | None = None, query: Any = None, **fields: Any
    ) -> TestResponse:
        """Send the form at `seen_at` (default: at the same path) with these fields."""
        token = self.token(seen_at or path)
        data = {"csrf_token": token, **fields}
        return self.client.post(path, data=data, query_string=query or {})


@pytest.fixture
def ana(world: World) -> Human:
    """The first account, an admin, signed in."""
    assert world.account
    human = Human(world.app.test_client(), "ana")
    assert human.sign_in().status_code == 302
    return human


@pytest.fixture
def bob(world: World, ana: Human) -> Human:
    """Somebody else, no admin, signed in."""
    accounts.create(world.lib, accounts.NewAccount("bob", "bob@example.org", PASSWORD))
    human = Human(world.app.test_client(), "bob")
    assert human.sign_in().status_code == 302
    return human
