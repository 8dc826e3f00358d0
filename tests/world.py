"""A small world to test in: one owner with an endpoint, a GitHub source and a connection, and the
verbs a test needs in the words of a user. Requests go through the real WSGI application.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from werkzeug.security import generate_password_hash
from werkzeug.test import TestResponse

from switchboard.access import accounts, endpoints
from switchboard.access.endpoints import Vended
from switchboard.access.principals import Machine
from switchboard.inbound import sources
from switchboard.inbound.sources import Added
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Account
from switchboard.providers import source_kind
from switchboard.providers.base import Sample
from switchboard.vault import connections
from tests import contract

PAYLOADS = Path(__file__).parent / "payloads"
PASSWORD = "a long enough password"
CONNECTION_SECRET = "canary-connection-secret-0123456789"


def payload(name: str) -> dict[str, Any]:
    """A provider body of ours, such as `github/issues.opened`."""
    return json.loads((PAYLOADS / f"{name}.json").read_text())


def sign(secret: str, raw: bytes) -> str:
    """GitHub's signature header value."""
    return "sha256=" + hmac.new(secret.encode(), raw, "sha256").hexdigest()


@cache
def password_hash() -> str:
    """A hash of PASSWORD that is quick to compare with: the tests sign in often."""
    return generate_password_hash(PASSWORD, "pbkdf2:sha256:1")


@dataclass
class World:
    """See the module's docstring. Everything is made on first use."""

    app: Flask
    sent: int = field(default=0)

    @property
    def lib(self) -> Plumbing:
        return self.app.extensions["switchboard"]

    @cached_property
    def client(self) -> FlaskClient:
        return self.app.test_client()

    @cached_property
    def account(self) -> dict[str, Any]:
        made = accounts.create(self.lib, accounts.NewAccount("ana", "ana@example.org"))
        with self.lib.db.write() as session:
            session.execute(update(Account).values(password_hash=password_hash()))
        return made

    @cached_property
    def endpoint(self) -> Vended:
        return self.vend("fixer")

    def vend(self, name: str, **wanted: Any) -> Vended:
        owner = wanted.pop("owner", self.account["name"])
        wanted.setdefault("verbs", ["drain", "reply"])
        return endpoints.vend(self.lib, Machine(), name, owner=owner, **wanted)

    @cached_property
    def source(self) -> Added:
        assert self.endpoint
        return self.add_source("octo")

    def add_source(self, name: str, kind: str = "github", **wanted: Any) -> Added:
        wanted.setdefault("owner", self.account["name"])
        return sources.add(self.lib, Machine(), sources.NewSource(kind, name, **wanted))

    @cached_property
    def connection(self) -> dict[str, Any]:
        return self.connect("octo")

    def connect(self, name: str, kind: str = "github", **wanted: Any) -> dict[str, Any]:
        wanted.setdefault("owner", self.account["name"])
        wanted.setdefault("account_key", "github.com")
        wanted.setdefault("secret", CONNECTION_SECRET)
        new = connections.NewConnection(kind, name, **wanted)
        return connections.add(self.lib, Machine(), new)

    @cached_property
    def operator_token(self) -> str:
        return accounts.mint_token(self.lib, self.account["name"])

    # what a sender does

    def deliver(
        self,
        body: Any,
        event: str = "issues",
        *,
        id: str | None = None,
        source: Added | None = None,
        headers: dict[str, str] | None = None,
    ) -> TestResponse:
        """Send a signed body (JSON value or raw bytes). A header of None is left out."""
        source = source or self.source
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.sent += 1
        given: dict[str, str | None] = {
            "Content-Type": "application/json",
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": id or f"delivery-{self.sent}",
            "X-Hub-Signature-256": sign(source.secret, raw),
            **(headers or {}),
        }
        path = urlsplit(source.source["ingest_url"]).path
        kept = {name: value for name, value in given.items() if value is not None}
        return self.client.post(path, data=raw, headers=kept)

    def send(
        self, source: Added, raw: bytes, headers: Mapping[str, str] | None = None
    ) -> TestResponse:
        """Post raw bytes with exactly these headers to a source's address."""
        path = urlsplit(source.source["ingest_url"]).path
        return self.client.post(path, data=raw, headers=dict(headers or {}))

    def signed(
        self, source: Added, body: Any, headers: Mapping[str, str], *, at: datetime | None = None
    ) -> TestResponse:
        """Post a body signed as its kind signs, at that time (default: now)."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = Sample({"Content-Type": "application/json", **headers}, raw)
        kind = source_kind(self.lib.settings, source.source["kind"])
        return self.send(source, raw, kind.sign(given, source.secret or "", at or clock.now()))

    def issue(self, number: int, title: str = "Something is wrong") -> dict[str, Any]:
        """An `issues.opened` body of its own."""
        body = payload("github/issues.opened")
        body["issue"]["number"], body["issue"]["title"] = number, title
        return body

    # what an agent does

    def agent(
        self, method: str, path: str, body: Any = None, *, by: Vended | None = None
    ) -> TestResponse:
        """One call with an endpoint's credential."""
        bearer = (by or self.endpoint).credential
        return self._judged(method, path, body, bearer)

    def claim(self, *, by: Vended | None = None) -> dict[str, Any]:
        """Claim the next todo, which must be there."""
        response = self.agent("POST", "/todos/claim-next", by=by)
        assert response.status_code == 200, response.data
        return response.json

    def claimed(self, number: int = 1) -> dict[str, Any]:
        """A claimed todo from a fresh issue, with a connection that can answer it."""
        assert self.source and self.connection
        assert self.deliver(self.issue(number)).status_code == 202
        return self.claim()

    def reply(self, todo: dict[str, Any], text: str = "On it.", **wanted: Any) -> TestResponse:
        """Answer a todo."""
        return self.agent("POST", f"/todos/{todo['id']}/replies", {"text": text, **wanted})

    # what an operator does

    def operator(self, method: str, path: str, body: Any = None) -> TestResponse:
        """One call with the account's operator token."""
        return self._judged(method, path, body, self.operator_token)

    def log(self) -> list[dict[str, Any]]:
        """The delivery log, newest first."""
        return self.operator("GET", "/deliveries?limit=200").json["deliveries"]

    def _judged(self, method: str, path: str, body: Any, bearer: str) -> TestResponse:
        answer = self._call(method, path, body, bearer)
        contract.check(self.app, method, f"/api/v1{path}", body, answer)
        return answer

    def _call(self, method: str, path: str, body: Any, bearer: str) -> TestResponse:
        headers = {"Authorization": f"Bearer {bearer}"}
        path = f"/api/v1{path}"
        return self.client.open(path, method=method, json=body, headers=headers)
