"""Sinks over the operator API: kept, listed, changed, tested, deleted, by whom they concern."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.outbox.topics import EVENTS
from tests.sinks.conftest import Outbox
from tests.standins import gotify, notify
from tests.standins.notify import SECRET
from tests.standins.scripted import StandIn
from tests.world import World


@pytest.fixture
def pager() -> Iterator[StandIn]:
    with gotify.standin() as running:
        running.program("sent")
        yield running


@pytest.fixture
def service() -> Iterator[StandIn]:
    with notify.standin() as running:
        yield running


def add(world: World, **changed: Any) -> Any:
    return world.operator("POST", "/sinks", {"kind": "email", "name": "mail", **changed})


def test_a_sink_is_told_of_everything_unless_somebody_says_otherwise(world: World) -> None:
    made = add(world)
    assert made.status_code == 201 and made.json["events"] == list(EVENTS)
    assert (made.json["health"], made.json["owner"]) == ("untested", {"account": "ana"})
    [listed] = world.operator("GET", "/sinks").json["sinks"]
    assert listed == made.json
    changed = world.operator("PATCH", "/sinks/mail", {"events": ["fault", "question"]})
    assert changed.json["events"] == ["question", "fault"]
    assert world.operator("DELETE", "/sinks/mail").status_code == 204
    assert world.operator("GET", "/sinks").json["sinks"] == []


def test_what_was_done_stands_in_the_event_log(world: World) -> None:
    add(world)
    world.operator("PATCH", "/sinks/mail", {"events": ["fault"]})
    world.operator("POST", "/sinks/mail/test")
    world.operator("DELETE", "/sinks/mail")
    types = [each["type"] for each in world.operator("GET", "/events").json["events"]]
    assert [each for each in types if each.startswith("sink.")] == [
        "sink.deleted",
        "sink.tested",
        "sink.edited",
        "sink.added",
    ]


@pytest.mark.parametrize(
    ("changed", "status", "code", "field"),
    [
        ({"kind": "fax"}, 422, "invalid_argument", "kind"),
        ({"name": "a b"}, 422, "invalid_argument", "name"),
        ({"events": []}, 422, "invalid_argument", "events"),
        ({"events": ["moon"]}, 422, "invalid_argument", "events"),
        ({"address": "ana@localhost"}, 422, "invalid_argument", "address"),
        ({"address": "a@b.c\r\nBcc: eve@example.com"}, 422, "invalid_argument", "address"),
        ({"address": "<ana@example.org>"}, 422, "invalid_argument", "address"),
        ({"address": "ana@example.org, eve@example.org"}, 422, "invalid_argument", "address"),
        ({"address": "." * 300 + "@example.org"}, 422, "invalid_argument", "address"),
        ({"connection": "octo"}, 422, "invalid_argument", "connection"),
        ({"kind": "gotify"}, 422, "invalid_argument", "connection"),
        ({"kind": "gotify", "connection": "nobody"}, 404, "not_found", None),
        ({"kind": "gotify", "connection": "octo"}, 422, "invalid_argument", "connection"),
        ({"kind": "gotify", "address": "a@example.org"}, 422, "invalid_argument", "address"),
        ({"owner": {"team": "nobody"}}, 404, "not_found", "owner"),
    ],
)
def test_a_sink_that_cannot_be_is_refused(
    world: World, changed: Any, status: int, code: str, field: str | None
) -> None:
    assert world.connection
    answer = add(world, **changed)
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.json
    assert answer.json.get("field") == field


def test_a_name_is_taken_once(world: World) -> None:
    add(world)
    assert (add(world).status_code, add(world).json["field"]) == (409, "name")


@pytest.mark.setting(SMTP_URL="")
def test_where_no_mail_is_sent_there_is_no_email_sink(world: World) -> None:
    answer = add(world)
    assert (answer.status_code, answer.json["code"]) == (409, "mail_not_configured")


def test_sinks_of_others_look_like_none(outbox: Outbox) -> None:
    ben, world = outbox.ben(), outbox.world
    theirs = outbox.sink(owner="ben")
    for method, tail in (("DELETE", ""), ("POST", "/test")):
        answer = world.operator(method, f"/sinks/{theirs['id']}{tail}")
        unknown = world.operator(method, f"/sinks/sk_unknown{tail}")
        assert (answer.status_code, answer.data) == (404, unknown.data)
    shared = outbox.sink(owner="core")
    seen = world._call("GET", "/sinks", None, ben).json["sinks"]
    assert {each["id"] for each in seen} == {theirs["id"], shared["id"]}
    assert world._call("DELETE", f"/sinks/{shared['id']}", None, ben).status_code == 403


def test_a_test_says_what_came_of_it_and_is_not_tried_again(outbox: Outbox) -> None:
    outbox.sink()
    outbox.server.program(recipients=["451 later"])
    tested = outbox.world.operator("POST", "/sinks/mail/test").json
    assert (tested["ok"], tested["class"]) == (False, "network")
    assert tested["code"] == "recipient_refused_451"
    assert outbox.states() == ["failed"] and outbox.health()["health"] == "fails"
    assert outbox.world.operator("POST", "/sinks/mail/test").json["ok"] is True
    assert outbox.health()["health"] == "works"
    [mail] = outbox.server.mails
    assert mail.header("Subject") == "A test from Switchboard"


def test_a_sink_takes_six_tests_a_minute(outbox: Outbox) -> None:
    outbox.sink()
    statuses = [outbox.world.operator("POST", "/sinks/mail/test").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]


def test_a_pager_is_reached_through_its_connection(outbox: Outbox, pager: StandIn) -> None:
    world = outbox.world
    world.connect("pager", "gotify", account_key=pager.url, secret=gotify.APPLICATION)
    outbox.sink("gotify", "loud", connection="pager")
    assert world.operator("POST", "/sinks/loud/test").json["ok"] is True
    [made] = pager.posts
    assert made.json["title"] == "A test from Switchboard"
    world.operator("DELETE", f"/connections/{outbox.health()['connection']}")
    assert (outbox.health()["health"], outbox.health()["connection"]) == ("fails", None)
    tested = world.operator("POST", "/sinks/loud/test").json
    assert (tested["ok"], tested["code"]) == (False, "connection_gone")


def test_a_server_that_fails_is_tried_again_and_one_that_vanished_is_not_known(
    outbox: Outbox, pager: StandIn
) -> None:
    outbox.world.connect("pager", "gotify", account_key=pager.url, secret=gotify.APPLICATION)
    outbox.sink("gotify", "loud", connection="pager")
    ben = outbox.ben()
    outbox.sink("gotify", "ours", connection="pager")
    thread = outbox.ticket(owner={"team": "core"})
    pager.program(["server_error", "reset_after_write"])
    outbox.comment(thread, "Hello.", ben)
    outbox.send_due()
    assert sorted(outbox.states()) == ["pending", "unknown"]


def test_a_notify_service_hears_who_reads_and_how_to_answer(
    outbox: Outbox, service: StandIn
) -> None:
    ben = outbox.ben()
    outbox.world.connect(
        "mailer", "notify", account_key=service.url + notify.PATH, secret=SECRET, owner="core"
    )
    outbox.sink("notify", "mailer", connection="mailer", owner="core", events=["comment"])
    outbox.comment(outbox.ticket(owner={"team": "core"}), "Is it the fuse?", ben)
    outbox.send_due()
    [made] = service.posts
    assert made.json["transactionId"].startswith("ticket-comment:cm_")
    assert made.json["transactionId"].endswith(":ana")
    assert (made.json["subscriberId"], made.json["reply"]) == ("ana", True)
