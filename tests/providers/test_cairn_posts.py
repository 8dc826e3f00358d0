"""Every answer we know a Cairn to give, over real HTTP, and what a connection makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.lib.http import Client
from switchboard.providers.base import Credential, Identity, Posted
from switchboard.providers.cairn import Cairn
from tests.providers.posting import BROKEN, KEPT, Outcome, assert_perhaps_written, client, outcome
from tests.standins import cairn as standins
from tests.standins.scripted import FAULTS, StandIn, recorded

CAIRN = Cairn()
TOKEN = "canary-cairn-token-0123456789"
EXPECTED = {
    "created": KEPT,
    "created_number": Outcome("sent", object_id=True),
    "created_foreign_permalink": Outcome("sent", object_id=True),
    "created_odd_id": Outcome("sent", permalink=True),
    "created_garbage": Outcome("sent"),
    "unauthorized": Outcome("failed", "auth", "unauthorized"),
    "forbidden": Outcome("failed", "forbidden", "read_only_token"),
    "not_found": Outcome("failed", "not_found", "artifact_not_found"),
    "gone": Outcome("failed", "not_found", "artifact_expired"),
    "too_long": Outcome("failed", "invalid", "body_too_long"),
    "hostile_code": Outcome("failed", "invalid", "_script_alert_1_script_" + "x" * 41),
    "plain_code": Outcome("failed", "invalid", "comments_closed"),
    "rate_limited_1s": Outcome("failed", "rate_limited", "rate_limited", retry_after=1),
    "rate_limited_60s": Outcome("failed", "rate_limited", "rate_limited", retry_after=60),
    "server_error": Outcome("unknown", "server", "500"),
    "bad_gateway": Outcome("unknown", "server", "502"),
    "redirect": Outcome("failed", "invalid", "redirect"),
}


@pytest.fixture(scope="module")
def running() -> Iterator[StandIn]:
    with standins.standin() as cairn:
        yield cairn


@pytest.fixture
def cairn(running: StandIn) -> StandIn:
    return running.anew()


@pytest.fixture
def http() -> Client:
    return client()


def post(cairn: StandIn, http: Client, text: str = "On it.", path: str = "") -> Posted:
    address = {"instance": cairn.url, "artifact_id": "sSpOSXZs"}
    return CAIRN.post(http, Credential(cairn.url + path, TOKEN), address, text)


def probe(cairn: StandIn, http: Client) -> Identity:
    return CAIRN.probe(http, Credential(cairn.url, TOKEN))


def test_every_recorded_answer_and_fault_is_expected() -> None:
    told = {name for name in recorded("cairn") if not name.startswith("me")}
    assert {*EXPECTED, *BROKEN} == told | set(FAULTS)


@pytest.mark.parametrize("name", EXPECTED)
def test_each_answer_has_its_outcome(cairn: StandIn, http: Client, name: str) -> None:
    cairn.program(name)
    assert outcome(post(cairn, http)) == EXPECTED[name]
    assert len(cairn.requests) == 1


@pytest.mark.parametrize("name", BROKEN)
def test_a_call_that_broke_off_may_have_been_written(
    cairn: StandIn, http: Client, name: str
) -> None:
    cairn.program(name)
    assert_perhaps_written(lambda: post(cairn, http), BROKEN[name])


@pytest.mark.parametrize("path", ["", "/notes"])
def test_what_is_posted_is_the_text_to_the_artifact_with_the_token(
    cairn: StandIn, http: Client, path: str
) -> None:
    post(cairn, http, "Fixed in abc123.", path)
    [made] = cairn.requests
    assert (made.method, made.path) == ("POST", f"{path}/v1/artifacts/sSpOSXZs/comments")
    assert made.headers["authorization"] == f"Bearer {TOKEN}"
    assert made.json == {"body": "Fixed in abc123."}


@pytest.mark.parametrize(
    ("part", "value"), [("address_host", "cairn.example.org"), ("target_of", "sSpOSXZs")]
)
def test_a_connection_is_chosen_by_instance_and_admitted_by_artifact(part: str, value: Any) -> None:
    address = {"instance": "https://cairn.example.org", "artifact_id": "sSpOSXZs"}
    assert getattr(CAIRN, part)(address) == value


def test_an_instance_and_an_account_compare_by_host_and_port() -> None:
    for key in ("https://Cairn.example.org:443/notes/", "cairn.example.org"):
        assert CAIRN.host_of(key) == CAIRN.address_host({"instance": "https://cairn.example.org"})
    assert CAIRN.host_of("http://cairn:8080") == CAIRN.address_host(
        {"instance": "http://cairn:8080"}
    )


@pytest.mark.parametrize("name", ["me", "me_by_login"])
def test_a_good_token_says_whose_it_is(cairn: StandIn, http: Client, name: str) -> None:
    cairn.program(name)
    assert probe(cairn, http) == Identity(True, "fixer")
    [made] = cairn.requests
    assert (made.method, made.path) == ("GET", "/v1/me")
    assert made.headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize(
    ("name", "error_class", "code"),
    [
        ("unauthorized", "auth", "unauthorized"),
        ("me_page", "invalid", "not_cairn"),
        ("redirect", "invalid", "redirect"),
        ("bad_gateway", "server", "502"),
    ],
)
def test_a_test_that_fails_says_why(
    cairn: StandIn, http: Client, name: str, error_class: str, code: str
) -> None:
    cairn.program(name)
    assert probe(cairn, http) == Identity(False, None, error_class, code)
