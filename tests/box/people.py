"""One of each in a running box, and what its sender and its agent do, over HTTP."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from switchboard.access import accounts, endpoints
from switchboard.access.endpoints import Vended
from switchboard.access.principals import Machine
from switchboard.inbound import sources
from switchboard.inbound.sources import Added
from switchboard.vault import connections
from tests.box.boxes import RunningBox
from tests.servers import Answer
from tests.world import payload

CANARIES = {
    "connection": "canary-connection-0123456789abcdef",
    "source": "canary-source-0123456789abcdef",
    "password": "canary-password-0123456789",
}


@dataclass
class People:
    """Ana with an endpoint, a source and a connection. `operator` is an `sbp_…` token."""

    box: RunningBox
    vended: Vended = field(repr=False)
    added: Added = field(repr=False)
    operator: str = field(repr=False)
    sent: int = 0

    @property
    def path(self) -> str:
        """The ingest path, token and all."""
        return urlsplit(self.added.source["ingest_url"]).path

    def deliver(self, number: int, *, secret: str | None = None) -> Answer:
        """GitHub delivers `issues.opened` for that issue."""
        body = payload("github/issues.opened")
        body["issue"]["number"] = number
        raw, key = json.dumps(body).encode(), (secret or self.added.secret).encode()
        self.sent += 1
        headers = {
            "X-GitHub-Event": "issues",
            "X-GitHub-Delivery": f"box-{self.sent}",
            "X-Hub-Signature-256": "sha256=" + hmac.digest(key, raw, "sha256").hex(),
        }
        return self.box.call("POST", self.path, raw, headers=headers)

    def agent(self, method: str, path: str, body: Any = None) -> Answer:
        """One call with the endpoint's credential."""
        return self.box.call(method, f"/api/v1{path}", body, bearer=self.vended.credential)

    def reply(self, text: str, **wanted: Any) -> dict[str, Any]:
        """Claim the next todo and answer it; the reply as it then stands."""
        todo = self.agent("POST", "/todos/claim-next", {}).json
        return self.agent("POST", f"/todos/{todo['id']}/replies", {"text": text, **wanted}).json


def settle(box: RunningBox) -> People:
    """Make one of each in the box's database."""
    lib, machine = box.lib, Machine()
    password = CANARIES["password"]
    accounts.create(lib, accounts.NewAccount("ana", "ana@example.org", password))
    vended = endpoints.vend(lib, machine, "fixer", owner="ana", verbs=["drain", "reply"])
    new = sources.NewSource("github", "octo", "ana", secret=CANARIES["source"])
    added = sources.add(lib, machine, new)
    secret = CANARIES["connection"]
    connections.add(
        lib,
        machine,
        connections.NewConnection(
            "github", "octo", owner="ana", account_key="github.com", secret=secret
        ),
    )
    return People(box, vended, added, accounts.mint_token(lib, "ana"))
