"""A message goes once: whoever sends it, however often it is rung for, and whatever breaks on the way."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from switchboard.access import accounts
from switchboard.lib import clock
from switchboard.outbox import tell
from switchboard.sinks import sending
from switchboard.sinks.sweep import let_go, sweep
from tests.inbound.pausing import faults
from tests.sinks.conftest import Outbox
from tests.standins.mail import HANG_UP


@pytest.fixture
def say(outbox: Outbox) -> Callable[[str], None]:
    """Ben comments on a ticket of the team's, of which ana is told."""
    ben = outbox.ben()
    outbox.sink()
    thread = outbox.ticket(owner={"team": "core"})
    return lambda text: outbox.comment(thread, text, ben)


def test_a_second_ring_finds_nothing_to_do(outbox: Outbox, say: Callable[[str], None]) -> None:
    say("Once.")
    [notice_id] = outbox.due()
    for _ in range(3):
        sending.send(outbox.world.lib, notice_id)
    assert len(outbox.server.mails) == 1 and outbox.states() == ["sent"]
    assert outbox.health()["health"] == "works"


def test_of_many_workers_at_once_one_sends(outbox: Outbox, say: Callable[[str], None]) -> None:
    say("Once.")
    [notice_id] = outbox.due()
    threads = [
        threading.Thread(target=sending.send, args=(outbox.world.lib, notice_id)) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert len(outbox.server.mails) == 1 and outbox.states() == ["sent"]


@pytest.mark.setting(NOTIFY_BURST_SECONDS="60")
def test_a_burst_becomes_two_messages(outbox: Outbox, say: Callable[[str], None]) -> None:
    say("The first goes at once.")
    outbox.send_due()
    for number in range(25):
        say(f"Remark {number}.")
    outbox.send_due()
    assert len(outbox.server.mails) == 1 and outbox.due() == []
    assert clock.now() < outbox.rows()[-1].next_at < clock.ahead(60)
    outbox.change(next_at=clock.now(), finished_at=clock.ago(61))
    outbox.send_due()
    _, mail = outbox.server.mails
    assert mail.header("Subject") == "It smokes (acme/rocket#1) (25 comments)"
    assert "Remark 0." in mail.text and "Remark 19." in mail.text and "Remark 20." not in mail.text
    assert "And 5 more." in mail.text
    assert outbox.states() == ["sent"] * 26


def test_what_waited_together_goes_together(outbox: Outbox, say: Callable[[str], None]) -> None:
    for number in range(3):
        say(f"Remark {number}.")
    outbox.send_due()
    [mail] = outbox.server.mails
    assert mail.text.index("Remark 0.") < mail.text.index("Remark 2.")
    assert len({row.message_id for row in outbox.rows()}) == 1


def test_later_means_later(outbox: Outbox, say: Callable[[str], None]) -> None:
    outbox.server.program(recipients=["451 greylisted"])
    say("Patience.")
    outbox.send_due()
    [row] = outbox.rows()
    assert (row.state, row.attempts, row.error_code) == ("pending", 1, "recipient_refused_451")
    assert clock.ahead(50) < row.next_at < clock.ahead(70)
    assert outbox.health()["health"] == "fails" and faults(outbox.world) == []
    outbox.come_due()
    outbox.send_due()
    assert len(outbox.server.mails) == 1 and outbox.states() == ["sent"]
    assert outbox.health()["failures"] == 0


def test_it_is_tried_six_times_later_and_later(outbox: Outbox, say: Callable[[str], None]) -> None:
    outbox.server.program(messages=["452 full"] * 9)
    say("Patience.")
    pauses = []
    for _ in range(6):
        outbox.send_due()
        [row] = outbox.rows()
        pauses.append(round((row.next_at - clock.now()).total_seconds(), -1))
        if row.state == "pending":
            outbox.come_due()
    assert outbox.states() == ["failed"] and pauses[:5] == [60, 300, 1800, 7200, 21600]
    assert len(outbox.server.messages) == 3


def test_a_refusal_is_final_and_raises_a_fault_until_it_works(
    outbox: Outbox, say: Callable[[str], None]
) -> None:
    outbox.server.program(recipients=["550 no such user"])
    say("Nobody there.")
    outbox.send_due()
    assert outbox.states() == ["failed"] and outbox.server.mails == []
    [fault] = faults(outbox.world)
    assert fault["code"] == "sink_failing" and "recipient_refused_550" in fault["detail"]
    assert outbox.states() == ["failed"]  # not told of itself
    tested = outbox.world.operator("POST", "/sinks/mail/test").json
    assert (tested["ok"], tested["to"]) == (True, "ana@example.org")
    assert faults(outbox.world) == []


def test_another_sink_tells_of_one_that_fails(outbox: Outbox, say: Callable[[str], None]) -> None:
    outbox.sink(name="other", address="ana@elsewhere.example", events=["fault"])
    outbox.server.program(recipients=["550 no such user"])
    say("Nobody there.")
    outbox.send_due()
    outbox.send_due()
    [mail] = outbox.server.mails
    assert (mail.recipient, mail.header("Subject")) == (
        "ana@elsewhere.example",
        "Sink mail: sink failing",
    )


def test_a_server_that_takes_it_and_says_nothing_is_not_asked_again(
    outbox: Outbox, say: Callable[[str], None]
) -> None:
    outbox.server.program(messages=[HANG_UP])
    say("Did it arrive?")
    outbox.send_due()
    assert outbox.states() == ["unknown"]
    outbox.come_due()
    sweep(outbox.world.lib)
    outbox.send_due()
    assert len(outbox.server.mails) == 1


def test_what_a_dead_worker_had_is_unknown_and_never_sent(
    outbox: Outbox, say: Callable[[str], None]
) -> None:
    say("Did it arrive?")
    outbox.change(claimed_at=clock.ago(61), attempts=1)
    assert sweep(outbox.world.lib).unknown == 1
    outbox.send_due()
    assert outbox.states() == ["unknown"] and outbox.server.mails == []
    [row] = outbox.rows()
    assert row.error_code == "worker_lost"


def test_one_claimed_just_now_is_left_to_its_worker(
    outbox: Outbox, say: Callable[[str], None]
) -> None:
    say("Under way.")
    outbox.change(claimed_at=clock.ago(5), attempts=1)
    assert sweep(outbox.world.lib).unknown == 0
    assert outbox.states() == ["pending"] and outbox.due() == []


def test_yesterdays_news_is_not_sent(outbox: Outbox, say: Callable[[str], None]) -> None:
    say("Old.")
    outbox.change(created_at=clock.ago(86_401))
    assert sweep(outbox.world.lib).expired == 1
    outbox.send_due()
    assert outbox.states() == ["failed"] and outbox.server.mails == []


def test_who_was_shut_out_meanwhile_is_not_told(outbox: Outbox, say: Callable[[str], None]) -> None:
    say("For ana.")
    accounts.disable(outbox.world.lib, "ana")
    outbox.send_due()
    assert outbox.server.mails == []
    [row] = outbox.rows()
    assert (row.state, row.error_code) == ("failed", "account_disabled")


def test_old_rows_and_tokens_are_let_go(outbox: Outbox, say: Callable[[str], None]) -> None:
    say("Done.")
    outbox.send_due()
    let_go(outbox.world.lib, clock.ago(60), 100)
    assert len(outbox.rows()) == 1
    let_go(outbox.world.lib, clock.ahead(100 * 86_400), 1)
    assert outbox.rows() == []


def test_a_notice_stands_or_falls_with_its_cause(outbox: Outbox) -> None:
    outbox.sink()
    news = tell.News("fault", outbox.world.account["id"], "x", "title", "text", "/")

    def break_off() -> None:
        with outbox.world.lib.db.write() as session:
            assert tell.tell(session, news)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    assert outbox.rows() == []
