"""`sink`: where people are told of things, from the command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.conftest import CommandLine
from tests.standins.mail import MailServer


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture
def environ(environ: dict[str, str], server: MailServer) -> dict[str, str]:
    mail = {"SWITCHBOARD_SMTP_URL": server.url, "SWITCHBOARD_MAIL_FROM": "ops@example.org"}
    return environ | mail


def test_a_sink_lives_on_the_command_line(ana: CommandLine, server: MailServer) -> None:
    assert "sink add email" in ana.text("sink", "list")
    made = ana.json("sink", "add", "email", "--owner", "ana", "--name", "mail", "--event", "fault")
    assert (made["events"], made["health"], made["address"]) == (["fault"], "untested", None)
    assert "untested" in ana.text("sink", "list") and "everybody's own" in ana.text("sink", "list")
    assert ana.json("sink", "test", "mail")["ok"] is True
    [mail] = server.mails
    assert (mail.sender, mail.recipient) == ("ops@example.org", "ana@example.org")
    server.program(recipients=["550 unknown"])
    failed = ana.run("sink", "test", "mail")
    assert (failed.exit_code, "recipient_refused_550" in failed.stdout) == (1, True)
    assert "fails (network recipient_refused_550)" in ana.text("sink", "list")
    assert ana.json("sink", "delete", "mail")["name"] == "mail"
    assert ana.json("sink", "list") == []


def test_what_cannot_be_is_said_in_a_sentence(ana: CommandLine) -> None:
    exit_code, sentence = ana.error("sink", "add", "fax", "--owner", "ana", "--name", "x")
    assert (exit_code, "email, gotify, apprise, notify" in sentence) == (2, True)
    exit_code, sentence = ana.error("sink", "add", "gotify", "--owner", "ana", "--name", "x")
    assert (exit_code, "connection add gotify" in sentence) == (2, True)
    assert ana.error("sink", "test", "nobody")[0] == 1
