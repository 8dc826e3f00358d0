"""A Gotify connection is a sink: its token is proved without a message, and messages get there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from switchboard.providers.base import Credential, Identity, Notification, Posted
from switchboard.providers.gotify import Gotify
from tests.providers.posting import client
from tests.standins import gotify as standins
from tests.standins.gotify import APPLICATION, CLIENT
from tests.standins.scripted import StandIn, recorded

GOTIFY = Gotify()
GOOD = Identity(True, "an application that may send (nothing was sent)")
BAD = {
    "unauthorized": ("auth", "401"),
    "forbidden": ("forbidden", "403"),
    "not_found": ("not_found", "404"),
    "somebody_else": ("invalid", "not_gotify"),
    "plain_bad_request": ("invalid", "not_gotify"),
    "server_error": ("server", "500"),
    "version": ("invalid", "not_gotify"),
    "redirect": ("invalid", "redirect"),
}


@pytest.fixture
def gotify() -> Iterator[StandIn]:
    with standins.standin() as running:
        yield running


def probe(gotify: StandIn, token: str = APPLICATION, path: str = "") -> Identity:
    return GOTIFY.probe(client(), Credential(gotify.url + path, token))


@pytest.mark.parametrize("path", ["", "/push", "/push/"])
def test_an_applications_token_is_proved_and_nothing_is_sent(gotify: StandIn, path: str) -> None:
    assert probe(gotify, path=path) == GOOD
    [made] = gotify.requests
    assert (made.method, made.path, made.json) == ("POST", path.rstrip("/") + "/message", {})


def test_the_token_goes_into_its_header_and_never_into_an_address(gotify: StandIn) -> None:
    probe(gotify)
    [made] = gotify.requests
    assert made.headers["x-gotify-key"] == APPLICATION
    assert APPLICATION not in made.path and "authorization" not in made.headers


@pytest.mark.parametrize("token", [CLIENT, "anything"])
def test_another_token_is_told_apart(gotify: StandIn, token: str) -> None:
    assert probe(gotify, token) == Identity(False, None, "auth", "401")


@pytest.mark.parametrize("name", BAD)
def test_a_test_that_fails_says_why(gotify: StandIn, name: str) -> None:
    gotify.program(name)
    assert probe(gotify) == Identity(False, None, *BAD[name])


TOLD = Notification("fixer asks", "Which fuse?", "https://switchboard.example.org/", urgent=True)


def notify(gotify: StandIn, token: str = APPLICATION, told: Notification = TOLD) -> Posted:
    return GOTIFY.notify(client(), Credential(gotify.url, token), told)


def test_a_message_is_what_gotifys_api_asks_for(gotify: StandIn) -> None:
    gotify.program("sent")
    assert notify(gotify) == Posted("sent", object_id="25")
    [made] = gotify.requests
    assert (made.method, made.path) == ("POST", "/message")
    assert made.json == {
        "title": "fixer asks",
        "message": "Which fuse?",
        "priority": 8,
        "extras": {
            "client::display": {"contentType": "text/plain"},
            "client::notification": {"click": {"url": "https://switchboard.example.org/"}},
        },
    }
    assert made.headers["x-gotify-key"] == APPLICATION


def test_a_message_without_text_says_its_title(gotify: StandIn) -> None:
    gotify.program("sent")
    notify(gotify, told=Notification("It works", "", "https://switchboard.example.org/"))
    [made] = gotify.requests
    assert (made.json["message"], made.json["priority"]) == ("It works", 5)


@pytest.mark.parametrize("name", ["forbidden", "plain_bad_request", "somebody_else", "redirect"])
def test_a_message_that_is_not_taken_says_why(gotify: StandIn, name: str) -> None:
    gotify.program(name)
    told = notify(gotify)
    code = "400" if name == "plain_bad_request" else BAD[name][1]
    assert (told.state, told.error_class, told.error_code) == ("failed", BAD[name][0], code)


def test_every_recorded_answer_is_expected() -> None:
    assert set(recorded("gotify")) | {"redirect"} == {*BAD, "message_is_required", "sent"}


@pytest.mark.parametrize(
    ("key", "account"),
    [
        ("https://Gotify.example.org:443/", "gotify.example.org"),
        ("https://example.org/Push/", "example.org/push"),
        ("http://gotify:8080", "gotify:8080"),
    ],
)
def test_an_account_is_compared_by_its_base_url(key: str, account: str) -> None:
    assert GOTIFY.host_of(key) == account
