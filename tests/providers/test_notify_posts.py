"""A notify connection is a sink: it is handed signed notifications, and knows whom each is for."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from switchboard.providers.base import Credential, Identity, Notification, Posted
from switchboard.providers.notify import Notify
from tests.providers.posting import client
from tests.standins import notify as standins
from tests.standins.notify import PATH, SECRET, is_signed
from tests.standins.scripted import StandIn, recorded

NOTIFY = Notify()
TOLD = Notification(
    "It smokes (acme/rocket#7)",
    "ben wrote:\n\nIs it the fuse?",
    "https://switchboard.example.org/threads/th_1",
    transaction="ticket-comment:cm_1:ana",
    subscriber="ana",
    answerable=True,
)
BAD = {
    "bad_signature": ("auth", "401"),
    "not_found": ("not_found", "404"),
    "server_error": ("server", "500"),
    "redirect": ("invalid", "redirect"),
}


@pytest.fixture
def service() -> Iterator[StandIn]:
    with standins.standin() as running:
        yield running


def credential(service: StandIn) -> Credential:
    return Credential(service.url + PATH, SECRET)


def test_a_notification_is_signed_and_says_for_whom_it_is(service: StandIn) -> None:
    assert NOTIFY.notify(client(), credential(service), TOLD) == Posted("sent")
    [made] = service.requests
    assert (made.method, made.path) == ("POST", PATH)
    assert made.json == {
        "transactionId": "ticket-comment:cm_1:ana",
        "subscriberId": "ana",
        "title": "It smokes (acme/rocket#7)",
        "text": "ben wrote:\n\nIs it the fuse?\n\nhttps://switchboard.example.org/threads/th_1",
        "reply": True,
    }
    raw = json.dumps(made.json, separators=(",", ":")).encode()
    assert is_signed(made, raw) and not is_signed(made, raw + b" ")
    assert SECRET not in str(made.headers)


def test_a_test_sends_nothing_to_anybody(service: StandIn) -> None:
    service.program("lacking")
    assert NOTIFY.probe(client(), credential(service)) == Identity(
        True, "a service that takes our signature (nothing was sent)"
    )
    [made] = service.requests
    assert made.json == {}


def test_a_service_that_takes_nothing_for_something_is_none(service: StandIn) -> None:
    found = NOTIFY.probe(client(), credential(service))
    assert (found.ok, found.error_code) == (False, "not_notify")


@pytest.mark.parametrize("name", BAD)
def test_what_is_refused_says_why(service: StandIn, name: str) -> None:
    service.program(name)
    told = NOTIFY.notify(client(), credential(service), TOLD)
    assert (told.error_class, told.error_code) == BAD[name]
    probed = NOTIFY.probe(client(), credential(service))
    assert (probed.ok, probed.error_class, probed.error_code) == (False, *BAD[name])


def test_every_recorded_answer_is_expected() -> None:
    assert set(recorded("notify")) | {"redirect"} == {*BAD, "accepted", "lacking"}
