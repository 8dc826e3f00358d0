"""A box that sends mail to a server of ours, and the verbs of these tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select, update

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.models import Notice
from switchboard.sinks import outbox_store, sending, sinks
from tests.standins.mail import MailServer
from tests.world import World

DOMAIN = "mail.example.org"


@pytest.fixture(scope="module")
def _server() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture
def server(_server: MailServer) -> MailServer:
    _server.program()
    _server._mails.clear()
    return _server


@pytest.fixture
def environ(environ: dict[str, str], server: MailServer) -> dict[str, str]:
    mail = {"SMTP_URL": server.url, "INBOUND_DOMAIN": DOMAIN, "NOTIFY_BURST_SECONDS": "0"}
    return {f"SWITCHBOARD_{name}": value for name, value in mail.items()} | environ


@dataclass
class Outbox:
    """The outbox of a world, and its people: ana, her team core, ben who is its member."""

    world: World
    server: MailServer

    def sink(self, kind: str = "email", name: str = "mail", **wanted: Any) -> dict[str, Any]:
        wanted.setdefault("owner", self.world.account["name"])
        return sinks.add(self.world.lib, Machine(), sinks.NewSink(kind, name, **wanted))

    def ben(self) -> str:
        """Ben's token; he is a member of core, which ana owns."""
        assert self.world.account
        lib = self.world.lib
        accounts.create(lib, accounts.NewAccount("ben", "ben@example.org"))
        accounts.create_team(lib, "core")
        accounts.add_member(lib, "core", "ana", "owner")
        accounts.add_member(lib, "core", "ben", "member")
        return accounts.mint_token(lib, "ben")

    def ticket(self, **changed: Any) -> dict[str, Any]:
        body = {"repo": "acme/rocket", "kind": "ticket", "title": "It smokes", **changed}
        answer = self.world.operator("POST", "/threads", body)
        assert answer.status_code == 201, answer.json
        return answer.json

    def comment(self, thread: dict[str, Any], body: str, token: str | None = None) -> None:
        """A comment by whoever has the token; ana's without one."""
        path, token = f"/threads/{thread['id']}/comments", token or self.world.operator_token
        answer = self.world._call("POST", path, {"body": body}, token)
        assert answer.status_code == 201, answer.json

    def due(self) -> list[str]:
        with self.world.lib.db.read() as session:
            return [row[0] for row in outbox_store.to_ring(session, clock.now(), 100)]

    def send_due(self) -> None:
        """Send whatever is due, as the workers' jobs do."""
        for notice_id in self.due():
            sending.send(self.world.lib, notice_id)

    def rows(self) -> list[Notice]:
        with self.world.lib.db.read() as session:
            rows = list(session.scalars(select(Notice).order_by(Notice.id)))
            session.expunge_all()
        return rows

    def states(self) -> list[str]:
        return [row.state for row in self.rows()]

    def change(self, **values: Any) -> None:
        """Set columns of every notice, as when time has passed."""
        with self.world.lib.db.write() as session:
            session.execute(update(Notice).values(**values))

    def come_due(self) -> None:
        self.change(next_at=clock.now())

    def health(self) -> dict[str, Any]:
        [sink] = self.world.operator("GET", "/sinks").json["sinks"]
        return sink


@pytest.fixture
def outbox(world: World, server: MailServer) -> Outbox:
    return Outbox(world, server)
