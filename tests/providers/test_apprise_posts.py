"""An Apprise API connection is a sink: its key is proved by what is stored under it."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from switchboard.providers.apprise import Apprise
from switchboard.providers.base import Credential, Identity, Notification, Posted
from tests.providers.posting import client
from tests.standins import apprise as standins
from tests.standins.apprise import KEY, LOGIN
from tests.standins.scripted import StandIn, recorded

APPRISE = Apprise()
BAD = {
    "nothing_stored": ("not_found", "no_services"),
    "no_services": ("not_found", "no_services"),
    "login_needed": ("auth", "401"),
    "access_denied": ("forbidden", "403"),
    "not_found": ("not_found", "404"),
    "somebody_else": ("invalid", "not_apprise"),
    "server_error": ("server", "500"),
    "redirect": ("invalid", "redirect"),
}


@pytest.fixture
def apprise() -> Iterator[StandIn]:
    with standins.standin() as running:
        yield running


def probe(apprise: StandIn, secret: str = KEY, path: str = "") -> Identity:
    return APPRISE.probe(client(), Credential(apprise.url + path, secret))


@pytest.mark.parametrize("path", ["", "/notify"])
def test_a_key_is_proved_by_its_services_and_nothing_is_sent(apprise: StandIn, path: str) -> None:
    assert probe(apprise, path=path) == Identity(True, "a configuration with 2 services")
    [made] = apprise.requests
    assert (made.method, made.path) == ("GET", f"{path}/json/urls/{KEY}?privacy=1")
    assert "authorization" not in made.headers


def test_one_service_is_said_in_the_singular(apprise: StandIn) -> None:
    apprise.program("one_service")
    assert probe(apprise) == Identity(True, "a configuration with 1 service")


def test_an_unknown_key_holds_nothing(apprise: StandIn) -> None:
    assert probe(apprise, "another") == Identity(False, None, "not_found", "no_services")


@pytest.mark.parametrize("login", [LOGIN, "ana:p@ss:word", "ana:"])
def test_a_login_before_the_key_goes_into_its_header(apprise: StandIn, login: str) -> None:
    assert probe(apprise, f"{login}@{KEY}").ok
    [made] = apprise.requests
    assert made.headers["authorization"] == f"Basic {base64.b64encode(login.encode()).decode()}"
    assert made.path == f"/json/urls/{KEY}?privacy=1"


@pytest.mark.parametrize(
    "secret", ["a/b", "../admin", "key?x=1", "@key", "ana@key", ":pass@key", "x" * 129, "a b"]
)
def test_a_secret_that_is_no_key_is_told_without_a_dial(apprise: StandIn, secret: str) -> None:
    assert probe(apprise, secret) == Identity(False, None, "invalid", "not_a_key")
    assert apprise.requests == []


@pytest.mark.parametrize("name", BAD)
def test_a_test_that_fails_says_why(apprise: StandIn, name: str) -> None:
    apprise.program(name)
    assert probe(apprise) == Identity(False, None, *BAD[name])


SENT = ("sent", "not_all_sent")
TOLD = Notification("Source octo: paused", "It is refused.", "https://switchboard.example.org/")


def notify(apprise: StandIn, secret: str = KEY) -> Posted:
    return APPRISE.notify(client(), Credential(apprise.url, secret), TOLD)


def test_a_message_is_what_apprises_api_asks_for(apprise: StandIn) -> None:
    assert notify(apprise, f"{LOGIN}@{KEY}") == Posted("sent")
    [made] = apprise.requests
    assert (made.method, made.path) == ("POST", f"/notify/{KEY}")
    assert made.json == {
        "title": "Source octo: paused",
        "body": "It is refused.\n\nhttps://switchboard.example.org/",
        "type": "info",
        "format": "text",
    }
    assert made.headers["authorization"] == f"Basic {base64.b64encode(LOGIN.encode()).decode()}"
    assert "?" not in made.path and LOGIN not in made.path


@pytest.mark.parametrize(
    ("name", "error_class", "code"),
    [
        ("nothing_stored", "not_found", "no_services"),
        ("not_all_sent", "invalid", "not_all_sent"),
        ("login_needed", "auth", "401"),
    ],
)
def test_a_message_that_is_not_taken_says_why(
    apprise: StandIn, name: str, error_class: str, code: str
) -> None:
    apprise.program(name)
    told = notify(apprise)
    assert (told.state, told.error_class, told.error_code) == ("failed", error_class, code)


def test_a_secret_that_is_no_key_tells_nobody(apprise: StandIn) -> None:
    assert notify(apprise, "a/b").error_code == "not_a_key" and apprise.requests == []


def test_every_recorded_answer_is_expected() -> None:
    assert set(recorded("apprise")) | {"redirect"} == {*BAD, "services", "one_service", *SENT}


def test_an_account_is_compared_by_its_base_url() -> None:
    assert APPRISE.host_of("https://Apprise.example.org/API/") == "apprise.example.org/api"
