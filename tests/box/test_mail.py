"""A whole box and its mail: a question goes out, a person answers it, and no kill loses the answer."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator
from email.message import EmailMessage
from email.utils import make_msgid
from urllib.parse import quote

import pytest

from switchboard.access import accounts, endpoints
from switchboard.access.principals import Machine
from switchboard.sessions import asking, registry
from switchboard.sinks import sinks
from tests.box.boxes import RunningBox
from tests.servers import wait_until
from tests.standins.emulator import free_port
from tests.standins.mail import MailServer

DOMAIN = "mail.example.org"
ANA = "ana@example.org"

GMAIL = """Take fuse B.

On Tue, Mar 3, 2026 at 10:12 AM Switchboard <switchboard@mail.example.org>
wrote:

> --- Reply above this line ---
> Which fuse?
"""
OUTLOOK = """Take fuse B.

________________________________
From: Switchboard <switchboard@mail.example.org>
Sent: Tuesday, March 3, 2026 10:12 AM
To: Ana <ana@example.org>
Subject: agent asker asks

Which fuse?
"""
APPLE = """Take fuse B.

Sent from my iPhone

> On 3 Mar 2026, at 10:12, Switchboard <switchboard@mail.example.org> wrote:
>
> Which fuse?
"""


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture
def settings(quick: dict[str, str], server: MailServer) -> dict[str, str]:
    return quick | {
        "SWITCHBOARD_INBOUND_DOMAIN": DOMAIN,
        "SWITCHBOARD_SMTP_LISTEN": f"127.0.0.1:{free_port()}",
        "SWITCHBOARD_SMTP_URL": server.url,
        "SWITCHBOARD_NOTIFY_BURST_SECONDS": "0",
    }


def send(settings: dict[str, str], to: str, text: str) -> None:
    """Hand a mail of ana's to the box's receiver, until its 250."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = f"Ana <{ANA}>", to, make_msgid()
    mail.set_content(text)
    port = int(settings["SWITCHBOARD_SMTP_LISTEN"].rpartition(":")[2])
    wait_until(lambda: _takes(port), 20)
    with smtplib.SMTP("127.0.0.1", port, "sender.example.org", timeout=20) as client:
        assert client.sendmail(ANA, [to], mail.as_bytes()) == {}


def _takes(port: int) -> bool:
    try:
        smtplib.SMTP("127.0.0.1", port, "probe.example.org", timeout=5).quit()
    except OSError:
        return False
    return True


def test_answers_by_mail_reach_the_agent_and_outlive_a_kill(
    settings: dict[str, str], server: MailServer
) -> None:
    with RunningBox(settings) as box:
        lib = box.lib
        accounts.create(lib, accounts.NewAccount("ana", ANA))
        sinks.add(lib, Machine(), sinks.NewSink("email", "mail", owner="ana", events=["question"]))
        bearer = endpoints.vend(
            lib, Machine(), "asker", owner="ana", verbs=["drain", "session"]
        ).credential
        token = accounts.mint_token(lib, "ana")
        refs = []
        for number, text in enumerate((GMAIL, OUTLOOK, APPLE), 1):
            thread = {"repo": "acme/rocket", "kind": "ticket", "title": f"Fuse {number}"}
            ref = box.call("POST", "/api/v1/threads", thread, bearer=token).json["ref"]
            registry.register_mailbox_of(lib, Machine(), ref, "asker")
            asking.ask_here(lib, Machine(), asking.Question(ref, "Which fuse?", owner="ana"))
            mail = server.wait_for(number)[-1]
            send(settings, mail.header("Reply-To"), text)
            refs.append(ref)
        box.kill9("worker")  # between the 250 and the reading, as likely as not
        assert box.wait() == 1
    with RunningBox(settings) as box:
        for ref in refs:
            path = f"/api/v1/sessions/inbox?ref={quote(ref)}&wait=20"
            messages = box.call("GET", path, bearer=bearer).json["messages"]
            assert [each["text"] for each in messages] == ["Take fuse B."]
