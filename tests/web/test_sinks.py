"""The sinks' page: a form a kind, what each tells of as chips, its health a word, a test by one click."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from switchboard.outbox import tell
from switchboard.sinks import sending
from tests.standins import gotify
from tests.standins.mail import MailServer
from tests.standins.scripted import StandIn
from tests.web.conftest import Human, ana
from tests.world import World

__all__ = ["ana"]  # a fixture

PAGE = "/settings/sinks"


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer() as running:
        yield running


@pytest.fixture
def environ(environ: dict[str, str], server: MailServer) -> dict[str, str]:
    mail = {"SMTP_URL": server.url, "INBOUND_DOMAIN": "mail.example.org"}
    return {f"SWITCHBOARD_{name}": value for name, value in mail.items()} | environ


@pytest.fixture
def pager() -> Iterator[StandIn]:
    with gotify.standin() as running:
        running.program("sent")
        yield running


def sink_id(world: World) -> str:
    [sink] = world.operator("GET", "/sinks").json["sinks"]
    return str(sink["id"])


def test_a_sink_is_added_tested_changed_and_deleted(
    ana: Human, world: World, server: MailServer
) -> None:
    assert "There is no sink yet." in ana.read(PAGE)
    added = ana.send(PAGE, kind="email", name="mail", events=["fault", "comment"])
    assert added.status_code == 302
    here = f"{PAGE}/{sink_id(world)}"
    page = ana.read(PAGE)
    assert "The sink mail is kept." in page and "untested" in page
    ana.send(f"{here}/test", seen_at=PAGE)
    page = ana.read(PAGE)
    assert "It took the message to ana@example.org." in page and "works" in page
    assert len(server.mails) == 1
    field = f"{sink_id(world)}-events"
    assert ana.send(f"{here}/edit", seen_at=PAGE, **{field: ["question"]}).status_code == 302
    assert world.operator("GET", "/sinks").json["sinks"][0]["events"] == ["question"]
    assert ana.send(f"{here}/edit", seen_at=PAGE).status_code == 422
    ana.send(f"{here}/delete", seen_at=PAGE)
    assert "There is no sink yet." in ana.read(PAGE)


def test_a_test_that_fails_says_why(ana: Human, world: World, server: MailServer) -> None:
    ana.send(PAGE, kind="email", name="mail", events=["fault"])
    server.program(recipients=["550 unknown"])
    ana.send(f"{PAGE}/{sink_id(world)}/test", seen_at=PAGE)
    page = ana.read(PAGE)
    assert "The test failed: network recipient_refused_550." in page and "fails" in page


def test_what_is_wrong_stands_beside_its_field_and_nothing_is_lost(ana: Human) -> None:
    answer = ana.send(PAGE, kind="email", name="mail", address="nobody", events=["fault"])
    assert answer.status_code == 422
    assert "Give one mail address" in answer.text and 'value="nobody"' in answer.text


def test_a_pager_needs_its_connection_first_and_then_takes_it(
    ana: Human, world: World, pager: StandIn
) -> None:
    page = ana.read(f"{PAGE}?kind=gotify")
    assert "Add one first" in page and "/settings/connections?kind=gotify" in page
    made = world.connect("pager", "gotify", account_key=pager.url, secret=gotify.APPLICATION)
    assert "Add one first" not in ana.read(f"{PAGE}?kind=gotify")
    fields = {"kind": "gotify", "name": "loud", "connection": made["id"], "events": ["fault"]}
    assert ana.send(PAGE, seen_at=f"{PAGE}?kind=gotify", **fields).status_code == 302
    ana.send(f"{PAGE}/{sink_id(world)}/test", seen_at=PAGE)
    assert len(pager.posts) == 1 and "It took the message." in ana.read(PAGE)


@pytest.mark.setting(SMTP_URL="")
def test_where_no_mail_is_sent_the_page_says_so(ana: Human) -> None:
    assert "This installation sends no mail: " in ana.read(PAGE)
    answer = ana.send(PAGE, kind="email", name="mail", events=["fault"])
    assert answer.status_code == 422 and "This installation sends no mail." in answer.text


def test_one_that_gave_a_message_up_is_under_needs_you_with_the_way_there(
    ana: Human, world: World, server: MailServer
) -> None:
    ana.send(PAGE, kind="email", name="mail", events=["dead_letter"])
    owner_id = world.account["id"]
    with world.lib.db.write() as session:
        news = tell.News("dead_letter", owner_id, "td_1", "Given up", "It is.", "/")
        [due] = tell.tell(session, news)
    server.program(recipients=["550 unknown"])
    sending.send(world.lib, due.id)
    page = ana.read("/")
    assert "Sink mail" in page and f"{PAGE}#{sink_id(world)}" in page
