"""What a notification mail says, to whom it goes, and where its reply leads."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.faults import book
from switchboard.replies import dial
from switchboard.sinks import tokens
from switchboard.sinks.mail import reply_line
from tests.inbound.pausing import fail
from tests.sinks.conftest import DOMAIN, Outbox
from tests.standins.mail import Mail
from tests.test_canary import assert_clean, stored

REPLY_LINE = reply_line(None)
HOSTILE = (
    "Smoke\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>\u202e\x00\ud83d \U0001f680" * 3
)


@pytest.fixture
def mail(outbox: Outbox) -> Mail:
    """Ben commented on ana's ticket, and she is told."""
    ben = outbox.ben()
    outbox.sink()
    thread = outbox.ticket(owner={"team": "core"})
    outbox.comment(thread, "Is it the <b>fuse</b>?", ben)
    outbox.send_due()
    [mail] = outbox.server.mails
    return mail


def bearer(outbox: Outbox, mail: Mail) -> tokens.Bearer:
    token = tokens.token_in(mail.header("Reply-To"), DOMAIN)
    assert token is not None
    with outbox.world.lib.db.read() as session:
        found = tokens.bearer(session, token)
        session.expunge_all()
    assert found is not None
    return found


def test_it_is_addressed_titled_and_says_what_was_said(outbox: Outbox, mail: Mail) -> None:
    assert (mail.sender, mail.recipient) == (f"switchboard@{DOMAIN}", "ana@example.org")
    assert mail.header("From") == f"Switchboard <switchboard@{DOMAIN}>"
    assert mail.header("Subject") == "It smokes (acme/rocket#1)"
    assert "ben wrote:\n\nIs it the <b>fuse</b>?" in mail.text.replace("\r\n", "\n")
    assert "ben wrote:" in mail.html and "<b>" not in mail.html
    assert re.search(r"https?://[\w.:/]+/threads/th_\w{26}", mail.text)


def test_machines_are_told_that_it_is_one_of_theirs(mail: Mail) -> None:
    assert mail.header("Auto-Submitted") == "auto-generated"
    assert mail.header("X-Auto-Response-Suppress") == "All"
    assert mail.header("List-Id") == f"Switchboard comment <comment.switchboard.{DOMAIN}>"
    assert mail.header("List-Unsubscribe").endswith("/settings/sinks>")


def test_its_reply_proves_who_answers_and_where(outbox: Outbox, mail: Mail) -> None:
    found = bearer(outbox, mail)
    assert (found.account.name, found.state) == ("ana", "good")
    assert found.place_id == mail.header("X-Switchboard-Thread")
    assert mail.text.startswith(REPLY_LINE) and REPLY_LINE in mail.html
    assert "A reply to this mail is posted there under your name, ana." in mail.text


def test_each_reader_has_the_line_in_his_language(outbox: Outbox) -> None:
    outbox.ben()
    outbox.sink(owner="core")
    accounts.create(outbox.world.lib, accounts.NewAccount("eve", "eve@example.org"))
    accounts.add_member(outbox.world.lib, "core", "eve", "member")
    accounts.set_language(outbox.world.lib, "ben", "uk")
    outbox.comment(outbox.ticket(owner={"team": "core"}), "All of you.")
    outbox.send_due()
    [to_ben], [to_eve] = outbox.server.to("ben@example.org"), outbox.server.to("eve@example.org")
    line = "--- Відповідайте вище цього рядка ---"
    assert to_ben.text.startswith(line) and f'<p dir="auto">{line}</p>' in to_ben.html
    assert to_eve.text.startswith(REPLY_LINE) and to_ben.raw.isascii()


def test_the_token_stands_in_reply_to_and_nowhere_else(
    outbox: Outbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ben = outbox.ben()
    outbox.sink()
    outbox.comment(outbox.ticket(owner={"team": "core"}), "Hello.", ben)
    outbox.send_due()
    [mail] = outbox.server.mails
    token = tokens.token_in(mail.header("Reply-To"), DOMAIN) or "?"
    assert mail.raw.count(token.encode()) == 1
    ours = [each.getMessage() for each in caplog.records if not each.name.startswith("mail.")]
    assert token not in "\n".join(ours)
    assert_clean("the database", stored(outbox.world), {"a mail's token": token})


def test_the_mails_of_a_thread_are_one_conversation(outbox: Outbox, mail: Mail) -> None:
    ben = accounts.mint_token(outbox.world.lib, "ben")
    place = mail.header("X-Switchboard-Thread")
    outbox.comment({"id": place}, "It is.", ben)
    outbox.send_due()
    again = outbox.server.mails[-1]
    for each in (mail, again):
        assert each.header("References") == each.header("In-Reply-To") == f"<{place}@{DOMAIN}>"
        assert re.fullmatch(rf"<ms_\w{{26}}\.{place}@{DOMAIN}>", each.header("Message-ID"))
    assert mail.header("Message-ID") != again.header("Message-ID")
    assert bearer(outbox, mail).place_id == bearer(outbox, again).place_id


def test_no_program_needs_to_unfold_a_message_id_or_take_eight_bits(outbox: Outbox) -> None:
    ben = outbox.ben()
    outbox.sink()
    outbox.comment(outbox.ticket(owner={"team": "core"}), "Grüße, 🚀! " * 60, ben)
    outbox.send_due()
    [mail] = outbox.server.mails
    assert re.search(rb"^Message-ID: <ms_", mail.raw, re.MULTILINE)
    assert mail.raw.isascii() and max(map(len, mail.raw.split(b"\r\n"))) < 998
    assert "Grüße, 🚀!" in mail.text


def test_nobody_is_told_of_what_he_did_himself(outbox: Outbox) -> None:
    outbox.sink()
    outbox.comment(outbox.ticket(), "I look into it.")
    assert outbox.rows() == []


def test_who_commented_follows_while_he_may_see_the_thread(outbox: Outbox) -> None:
    ben = outbox.ben()
    outbox.sink(owner="ben")
    thread = outbox.ticket(owner={"team": "core"})
    outbox.comment(thread, "Nobody follows yet.")
    assert outbox.rows() == []
    outbox.comment(thread, "I do.", ben)
    outbox.comment(thread, "Ben follows now.")
    [row] = outbox.rows()
    assert row.address == "ben@example.org"
    mine = outbox.ticket(repo="acme/other")
    outbox.comment(mine, "Ben sees nothing of this.")
    assert len(outbox.rows()) == 1


def test_a_teams_sink_writes_to_everybody_in_it_with_a_token_of_his_own(outbox: Outbox) -> None:
    outbox.ben()
    outbox.sink(owner="core")
    accounts.create(outbox.world.lib, accounts.NewAccount("eve", "eve@example.org"))
    accounts.add_member(outbox.world.lib, "core", "eve", "member")
    thread = outbox.ticket(owner={"team": "core"})
    outbox.comment(thread, "All of you.")
    outbox.send_due()
    mails = outbox.server.mails
    assert sorted(mail.recipient for mail in mails) == ["ben@example.org", "eve@example.org"]
    assert {bearer(outbox, mail).account.name for mail in mails} == {"ben", "eve"}


def test_a_list_is_told_and_cannot_answer(outbox: Outbox) -> None:
    ben = outbox.ben()
    outbox.sink(owner="core", address="all@example.org")
    outbox.comment(outbox.ticket(owner={"team": "core"}), "Hello.", ben)
    outbox.send_due()
    [mail] = outbox.server.to("all@example.org")
    assert mail.message["Reply-To"] is None and REPLY_LINE not in mail.text
    assert "Nobody reads replies to this mail." in mail.text


def test_an_address_is_written_to_once_through_however_many_sinks(outbox: Outbox) -> None:
    ben = outbox.ben()
    outbox.sink()
    outbox.sink(owner="core")
    outbox.sink(name="again", address="ANA@example.org")
    outbox.comment(outbox.ticket(owner={"team": "core"}), "Once.", ben)
    outbox.send_due()
    assert len(outbox.server.mails) == 1


@pytest.mark.setting(INBOUND_DOMAIN="", MAIL_FROM="Ops <ops@example.org>")
def test_without_an_inbound_domain_no_reply_is_offered(outbox: Outbox) -> None:
    ben = outbox.ben()
    outbox.sink()
    outbox.comment(outbox.ticket(owner={"team": "core"}), "Hello.", ben)
    outbox.send_due()
    [mail] = outbox.server.mails
    assert mail.header("From") == "Ops <ops@example.org>"
    assert mail.message["Reply-To"] is None and REPLY_LINE not in mail.text
    assert mail.header("Message-ID").endswith("@example.org>")


def test_a_hostile_title_makes_no_header_and_no_markup(outbox: Outbox) -> None:
    assert outbox.world.source
    outbox.sink(events=["dead_letter"])
    outbox.world.deliver(outbox.world.issue(1, HOSTILE.replace("\ud83d", "")))
    dead_letter(outbox)
    outbox.send_due()
    [mail] = outbox.server.mails
    assert set(mail.message.keys()) == {
        "From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References",
        "X-Switchboard-Thread", "Reply-To", "List-Id", "List-Unsubscribe", "Auto-Submitted",
        "X-Auto-Response-Suppress", "Content-Type", "MIME-Version",
    }  # fmt: skip
    assert mail.header("To") == mail.recipient == "ana@example.org"
    assert mail.header("Subject").startswith("Given up: Smoke Bcc: eve@example.com <script>")
    assert "<script>" not in mail.html


def test_a_title_in_encoded_words_makes_no_header_and_ends_none(outbox: Outbox) -> None:
    outbox.sink()
    title = "=?utf-8?q?=0D=0ABcc:_eve=40example.com=0D=0A=0D=0APay_here?="
    outbox.world.deliver(outbox.world.issue(1, title))
    dead_letter(outbox)
    outbox.send_due()
    [mail] = outbox.server.mails
    assert b"eve@example.com" not in mail.raw
    assert mail.header("Subject").startswith("Given up: = ?utf-8?q?=0D=0ABcc")
    assert tokens.token_in(mail.header("Reply-To"), DOMAIN)


def dead_letter(outbox: Outbox) -> dict[str, Any]:
    """Give up the world's next todo."""
    todo = outbox.world.claim()
    for attempt in range(1, 6):
        answer = outbox.world.agent("POST", f"/todos/{todo['id']}/fail", {})
        assert answer.status_code == 200, answer.json
        if attempt < 5:
            outbox.world.agent("POST", f"/todos/{todo['id']}/claim", {})
    return todo


def test_a_todo_given_up_is_told_and_answered_on_the_todo(outbox: Outbox) -> None:
    assert outbox.world.source
    outbox.sink()
    outbox.world.deliver(outbox.world.issue(1, "The rocket does not start"))
    todo = dead_letter(outbox)
    outbox.send_due()
    [mail] = outbox.server.mails
    assert mail.header("Subject") == "Given up: The rocket does not start"
    assert "5 attempts failed; the last one: the agent reported a failure." in mail.text
    assert bearer(outbox, mail).place_id == todo["id"]


def test_an_answer_that_was_not_posted_is_told(outbox: Outbox) -> None:
    todo = outbox.world.claimed()
    outbox.sink()
    made = outbox.world.reply(todo, "The fuse was it.").json
    outbox.world.operator("DELETE", f"/connections/{outbox.world.connection['id']}")
    dial.dial(outbox.world.lib, made["reply_id"])
    outbox.send_due()
    [mail] = outbox.server.mails
    assert mail.header("Subject").endswith("was not posted")
    assert "auth connection_gone" in mail.text and "The fuse was it." in mail.text


def test_a_fault_is_told_once_while_it_stands(outbox: Outbox) -> None:
    outbox.sink()
    owner_id = outbox.world.account["id"]
    for _ in range(2):
        with outbox.world.lib.db.write() as session:
            book.raise_in(
                session,
                book.Condition("odd", "sr_1", "Source octo", "It is odd.", owner_id, None),
            )
    book.tell_untold(outbox.world.lib)
    outbox.send_due()
    [mail] = outbox.server.mails
    assert mail.header("Subject") == "Source octo: odd" and "It is odd." in mail.text
    assert mail.message["Reply-To"] is None


@pytest.mark.setting(PAUSE_AFTER="2")
def test_a_pause_that_deliveries_brought_about_is_told_by_the_sweep(outbox: Outbox) -> None:
    assert outbox.world.source
    outbox.sink(events=["fault"])
    assert fail(outbox.world, 2) == [422, 422]
    for _ in range(2):
        book.tell_untold(outbox.world.lib)
    outbox.send_due()
    [mail] = outbox.server.mails
    assert mail.header("Subject") == "Source octo: source paused"
