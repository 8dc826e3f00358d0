"""Every answer Gitea and Forgejo are known to give, over real HTTP, and what a connection makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.errors import Invalid
from switchboard.lib.http import Client
from switchboard.providers.base import Credential, Identity, Posted
from switchboard.providers.gitea import Gitea
from tests.providers.posting import BROKEN, KEPT, Outcome, assert_perhaps_written, client, outcome
from tests.standins import gitea as standins
from tests.standins.gitea import TOKEN
from tests.standins.scripted import FAULTS, StandIn, recorded

GITEA = Gitea()
EXPECTED = {
    "created": KEPT,
    "created_on_a_pull": KEPT,
    "created_foreign_permalink": Outcome("sent", object_id=True),
    "created_script_permalink": Outcome("sent", object_id=True),
    "created_id_text": Outcome("sent", permalink=True),
    "created_garbage": Outcome("sent"),
    "created_huge": Outcome("sent"),
    "token_is_required": Outcome("failed", "auth", "401"),
    "bad_token": Outcome("failed", "auth", "401"),
    "missing_scope": Outcome("failed", "forbidden", "missing_scope"),
    "locked": Outcome("failed", "forbidden", "locked"),
    "blocked": Outcome("failed", "forbidden", "403"),
    "archived": Outcome("failed", "forbidden", "archived"),
    "not_found": Outcome("failed", "not_found", "404"),
    "empty_body": Outcome("failed", "invalid", "422"),
    "too_large": Outcome("failed", "invalid", "413"),
    "rate_limited_1s": Outcome("failed", "rate_limited", "429", retry_after=1),
    "rate_limited_60s": Outcome("failed", "rate_limited", "429", retry_after=60),
    "server_error": Outcome("unknown", "server", "500"),
    "bad_gateway": Outcome("unknown", "server", "502"),
    "redirect": Outcome("failed", "invalid", "redirect"),
}


@pytest.fixture(scope="module")
def running() -> Iterator[StandIn]:
    with standins.standin() as gitea:
        yield gitea


@pytest.fixture
def gitea(running: StandIn) -> StandIn:
    return running.anew()


@pytest.fixture
def http() -> Client:
    return client()


def post(gitea: StandIn, http: Client, text: str = "On it.", path: str = "") -> Posted:
    host = gitea.url.removeprefix("http://")
    address = {"host": host, "repo": "acme/rocket", "number": 7}
    return GITEA.post(http, Credential(gitea.url + path, TOKEN), address, text)


def probe(gitea: StandIn, http: Client) -> Identity:
    return GITEA.probe(http, Credential(gitea.url, TOKEN))


def test_every_recorded_answer_and_fault_is_expected() -> None:
    told = {name for name in recorded("gitea") if not name.startswith("user")}
    assert {*EXPECTED, *BROKEN} == told | set(FAULTS)


@pytest.mark.parametrize("name", EXPECTED)
def test_each_answer_has_its_outcome(gitea: StandIn, http: Client, name: str) -> None:
    gitea.program(name)
    assert outcome(post(gitea, http)) == EXPECTED[name]
    assert len(gitea.requests) == 1


@pytest.mark.parametrize("name", BROKEN)
def test_a_call_that_broke_off_may_have_been_written(
    gitea: StandIn, http: Client, name: str
) -> None:
    gitea.program(name)
    assert_perhaps_written(lambda: post(gitea, http), BROKEN[name])


def test_what_is_posted_is_the_text_to_the_address_with_the_token(
    gitea: StandIn, http: Client
) -> None:
    post(gitea, http, "Fixed in abc123.")
    [made] = gitea.requests
    assert (made.method, made.path) == ("POST", "/api/v1/repos/acme/rocket/issues/7/comments")
    assert made.headers["authorization"] == f"token {TOKEN}"
    assert made.json == {"body": "Fixed in abc123."}


@pytest.mark.parametrize("path", ["", "/", "/api/v1", "/git", "/git/", "/git/api/v1/"])
def test_a_server_below_a_path_is_called_below_it(gitea: StandIn, http: Client, path: str) -> None:
    found = post(gitea, http, path=path)
    prefix = "/git" if "git" in path else ""
    assert gitea.requests[0].path == f"{prefix}/api/v1/repos/acme/rocket/issues/7/comments"
    assert (found.permalink or "").startswith(f"{gitea.url}{prefix}/acme/rocket/issues/7#")


@pytest.mark.parametrize(
    ("key", "host"),
    [
        ("https://git.example.org", "git.example.org"),
        ("https://Git.Example.org:443/", "git.example.org"),
        ("https://git.example.org/git/", "git.example.org"),
        ("https://git.example.org:3000", "git.example.org:3000"),
        ("http://git.example.org:80", "git.example.org"),
        ("git.example.org", "git.example.org"),
    ],
)
def test_an_account_is_compared_by_host_and_port(key: str, host: str) -> None:
    assert GITEA.host_of(key) == host


@pytest.mark.parametrize(
    "key",
    ["", "ftp://git.example.org", "https://a:b@git.example.org", "https://git.example.org/../x",
     "https://git.example.org?x", "https://git.example.org/a b", "https://git.example.org:0",
     "https://git.example.org#x", "https://[::1]"],
)  # fmt: skip
def test_an_account_that_is_none_is_refused_beside_its_field(key: str) -> None:
    with pytest.raises(Invalid) as refused:
        GITEA.host_of(key)
    assert refused.value.field == "account_key"


@pytest.mark.parametrize(
    ("part", "value"), [("address_host", "git.example.org:3000"), ("target_of", "acme/rocket")]
)
def test_a_connection_is_chosen_by_host_and_admitted_by_repository(part: str, value: Any) -> None:
    address = {"host": "git.example.org:3000", "repo": "acme/rocket", "number": 7}
    assert getattr(GITEA, part)(address) == value


def test_a_good_token_says_whose_it_is(gitea: StandIn, http: Client) -> None:
    assert probe(gitea, http) == Identity(True, "fixer")
    [made] = gitea.requests
    assert (made.method, made.path) == ("GET", "/api/v1/user")
    assert made.headers["authorization"] == f"token {TOKEN}"


@pytest.mark.parametrize(
    ("name", "error_class", "code"),
    [
        ("bad_token", "auth", "401"),
        ("missing_scope", "forbidden", "missing_scope"),
        ("not_found", "not_found", "404"),
        ("user_page", "invalid", "not_gitea"),
        ("redirect", "invalid", "redirect"),
        ("bad_gateway", "server", "502"),
    ],
)
def test_a_test_that_fails_says_why(
    gitea: StandIn, http: Client, name: str, error_class: str, code: str
) -> None:
    gitea.program(name)
    assert probe(gitea, http) == Identity(False, None, error_class, code)
