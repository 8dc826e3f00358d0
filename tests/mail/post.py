"""Mail as people and machines send it to a world, and what became of it."""

from __future__ import annotations

import hmac
import json
import time
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import cached_property
from typing import Any

from sqlalchemy import update
from werkzeug.test import TestResponse

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.inbound import source_changes
from switchboard.lib import ids
from switchboard.mail import process, store
from switchboard.models import MailToken
from switchboard.sinks import tokens
from tests.world import World

DOMAIN = "mail.example.org"
ANA = "ana@example.org"
QUOTED = (
    "On Tue, 3 Mar 2026 at 10:12, Switchboard <switchboard@mail.example.org> wrote:\n> It smokes."
)


@dataclass
class PostOffice:
    """A world that takes mail: ana, her ticket, tokens for it, and the ways in."""

    world: World
    sent: int = field(default=0)

    @cached_property
    def ana(self) -> str:
        """Ana's account id."""
        return str(self.world.account["id"])

    @cached_property
    def ticket(self) -> dict[str, Any]:
        """A ticket of ana's."""
        assert self.ana
        body = {"repo": "acme/rocket", "kind": "ticket", "title": "It smokes"}
        answer = self.world.operator("POST", "/threads", body)
        assert answer.status_code == 201, answer.json
        return dict(answer.json)

    def thread(self, kind: str, **more: Any) -> dict[str, Any]:
        body = {"repo": "acme/rocket", "kind": kind, "title": "A thread", **more}
        answer = self.world.operator("POST", "/threads", body)
        assert answer.status_code == 201, answer.json
        return dict(answer.json)

    def token(self, place_id: str | None = None, account_id: str | None = None) -> str:
        """A fresh token, of ana for her ticket unless told."""
        account, place = account_id or self.ana, place_id or self.ticket["id"]
        with self.world.lib.db.write() as session:
            return tokens.mint(session, account, place, ids.new("message"), 90)

    def address(self, place_id: str | None = None, account_id: str | None = None) -> str:
        return tokens.reply_address(self.token(place_id, account_id), DOMAIN)

    def change_tokens(self, **values: Any) -> None:
        with self.world.lib.db.write() as session:
            session.execute(update(MailToken).values(**values))

    def secret(self, transport: str = "raw") -> str:
        """A fresh secret of that way in."""
        assert self.ana
        made = source_changes.rotate(self.world.lib, Machine(), f"mail-{transport}")
        assert made.secret
        return made.secret

    @cached_property
    def raw_secret(self) -> str:
        return self.secret()

    def write(
        self, text: str = "Take fuse B.", to: str | None = None, **headers: str | None
    ) -> EmailMessage:
        """A mail of ana's; a header of None is left out, `_` stands for a dash."""
        self.sent += 1
        mail = EmailMessage()
        given = {
            "From": f"Ana <{ANA}>",
            "To": to or self.address(),
            "Subject": "Re: It smokes",
            "Message-ID": f"<{self.sent}.{time.time_ns()}@example.org>",
        }
        for name, value in (given | {n.replace("_", "-"): v for n, v in headers.items()}).items():
            if value is not None:
                mail[name] = value
        mail.set_content(f"{text}\n\n{QUOTED}\n")
        return mail

    def post(
        self, mail: EmailMessage | bytes, headers: dict[str, str] | None = None
    ) -> TestResponse:
        """Post a raw mail as a mail server does."""
        raw = mail if isinstance(mail, bytes) else mail.as_bytes()
        given = {"Content-Type": "message/rfc822", "X-Inbound-Secret": self.raw_secret}
        return self.world.client.post(
            "/api/v1/inbound/email", data=raw, headers=given | (headers or {})
        )

    def deliver(self, mail: EmailMessage | bytes, **headers: str) -> dict[str, Any]:
        """Post a raw mail, let a worker read it, and return its delivery."""
        self.post(mail, {name.replace("_", "-"): value for name, value in headers.items()})
        self.work()
        return self.last()

    def work(self) -> int:
        """What the workers' jobs do with mail that waits; how much there was."""
        lib = self.world.lib
        with lib.db.read() as session:
            found = store.waiting(session, "ml_~", 100)
        for mail_id in found:
            process.process(lib, mail_id)
        return len(found)

    def last(self) -> dict[str, Any]:
        """The newest delivery."""
        return dict(self.world.log()[0])

    def event(
        self, body: Any, *, secret: str | None = None, at: int | None = None, **headers: str
    ) -> TestResponse:
        """Post an event as a notify service signs it."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        now = str(int(time.time()) if at is None else at)
        signed = hmac.new((secret or "").encode(), f"{now}.".encode() + raw, "sha256").hexdigest()
        given = {"X-Notify-Timestamp": now, "X-Notify-Signature": f"sha256={signed}", **headers}
        return self.world.client.post("/api/v1/notify/events", data=raw, headers=given)

    def comments(self, thread: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        path = f"/threads/{(thread or self.ticket)['id']}?limit=200"
        return list(self.world.operator("GET", path).json["comments"])

    def said(self, thread: dict[str, Any] | None = None) -> list[str]:
        return [each["body"] for each in self.comments(thread)]

    def ben(self) -> str:
        """Ben's account id: somebody else."""
        return str(
            accounts.create(self.world.lib, accounts.NewAccount("ben", "ben@example.org"))["id"]
        )
