"""An agent asks: the owner is told, and a reply to that mail answers this very question."""

from __future__ import annotations

from typing import Any

from switchboard.access.principals import Machine
from switchboard.sessions import asking, question_store
from switchboard.sinks import tokens
from tests.sinks.conftest import DOMAIN, Outbox


def ask(outbox: Outbox, text: str, ref: str = "github:acme/rocket#7") -> Any:
    assert outbox.world.account
    question = asking.Question(ref, text, owner="ana")
    return asking.ask_here(outbox.world.lib, Machine(), question)


def test_a_question_is_mailed_though_its_comment_failed(outbox: Outbox) -> None:
    outbox.sink(events=["question"])
    assert ask(outbox, "Which fuse, A or B?").posted is False
    outbox.send_due()
    [mail] = outbox.server.mails
    assert mail.header("Subject") == "command line asks on github:acme/rocket#7"
    assert "Which fuse, A or B?" in mail.text
    assert "/question?ref=github:acme/rocket%237&owner=ana" in mail.text
    token = tokens.token_in(mail.header("Reply-To"), DOMAIN)
    assert token
    with outbox.world.lib.db.read() as session:
        found = tokens.bearer(session, token)
        [event] = question_store.open_now(session, None)
        assert found is not None and found.place_id == event.id


def test_two_questions_are_two_mails_however_close(outbox: Outbox) -> None:
    outbox.sink(events=["question"])
    ask(outbox, "Which fuse?")
    ask(outbox, "Which wire?", "github:acme/rocket#8")
    outbox.send_due()
    assert len(outbox.server.mails) == 2
    assert len({mail.header("Reply-To") for mail in outbox.server.mails}) == 2


def test_a_question_on_our_own_ticket_is_told_once(outbox: Outbox) -> None:
    outbox.sink()
    ticket = outbox.ticket()
    assert ask(outbox, "Which fuse?", f"ticket:acme/rocket#{ticket['number']}").posted
    assert [row.event for row in outbox.rows()] == ["question"]


def test_a_question_asked_twice_is_told_once(outbox: Outbox) -> None:
    outbox.sink()
    ticket = outbox.ticket()
    for _ in range(2):
        ask(outbox, "Which fuse?", f"ticket:acme/rocket#{ticket['number']}")
    assert len(outbox.rows()) == 1
