"""GitHub's reply address: from the verified body alone, and none at all where a field is in doubt."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard.errors import Invalid
from switchboard.providers.base import Origin
from switchboard.providers.github import GitHub
from tests.world import payload

HERE = Origin("github.com")
ANSWERABLE = {
    "issues.opened": 7,
    "issues.closed": 7,
    "issue_comment.created": 7,
    "issue_comment.edited": 7,
    "pull_request.opened": 9,
    "pull_request_review.submitted": 9,
    "pull_request_review_comment.created": 9,
}
OTHERS = [
    "push", "ping", "star.created", "release.published", "check_run.completed",
    "workflow_run.completed", "discussion_comment.created", "installation.created",
    "commit_comment.created",
]  # fmt: skip


def address_of(body: dict[str, Any], event: str, origin: Origin = HERE) -> dict[str, Any] | None:
    headers = {"X-GitHub-Event": event.partition(".")[0]}
    address = GitHub().understand(headers, body, origin).address
    return None if address is None else address.as_dict()


@pytest.mark.parametrize("event", ANSWERABLE)
def test_an_answerable_event_says_where_its_answer_goes(event: str) -> None:
    number = ANSWERABLE[event]
    assert address_of(payload(f"github/{event}"), event) == {
        "kind": "forge_comment",
        "provider": "github",
        "host": "github.com",
        "repo": "acme/rocket",
        "number": number,
        "display": f"github acme/rocket#{number}",
        "key": f"github:github.com/acme/rocket#{number}",
    }


@pytest.mark.parametrize("event", OTHERS)
def test_no_other_event_has_an_address(event: str) -> None:
    assert address_of(payload(f"github/{event}"), event) is None


def issue(number: Any = 7, **repository: Any) -> dict[str, Any]:
    body = payload("github/issues.opened")
    body["issue"]["number"] = number
    body["repository"].update(repository)
    return body


REPOS = [
    "rocket", "acme/rocket/x", "acme/..", "../rocket", "./rocket", "acme/.", "acme/", "/rocket", "",
    "acme//rocket", "acme/rocket\n", "acme/rocket ", " acme/rocket", "acme/ro cket", "acme/ro%2fcket",
    "acme/rocket?x", "acme/rocket#1", "acme\\rocket", "аcme/rocket", "acme/rоcket", "acme/ｒocket",
    "acme∕rocket", "acme/rocket\x00", "acme/" + "x" * 101, "x" * 101 + "/rocket", None, 7, True,
    ["acme/rocket"], {"full_name": "acme/rocket"},
]  # fmt: skip
NUMBERS = [0, -1, True, False, 1e3, 7.0, "7", "7/../8", None, [7], {}, 2**53, 10**30]
URLS = [
    "https://evil.example/acme/rocket", "https://github.com@evil.example/", "https://x@github.com/",
    "https://x:y@github.com/", "https://github.com:8443/acme/rocket", "http://github.com:443/x",
    "javascript://github.com/%0aalert(1)", "ftp://github.com/x", "//github.com/x", "github.com/x",
    "https://github.com.evil.example/x", "https://github.com./x", "https://.github.com/x",
    "https://githυb.com/x", "https://github。com/x", "https://github.com\\@evil.example/x",
    "https://[::1]/x", "https://[github.com/x", "https:///x", "", " https://evil.example", None, 7, [],
]  # fmt: skip


@pytest.mark.parametrize("repo", REPOS, ids=repr)
def test_a_doubtful_repository_means_no_address(repo: Any) -> None:
    assert address_of(issue(full_name=repo), "issues") is None


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_a_doubtful_number_means_no_address(number: Any) -> None:
    assert address_of(issue(number), "issues") is None


@pytest.mark.parametrize("url", URLS, ids=repr)
def test_a_doubtful_host_means_no_address(url: Any) -> None:
    assert address_of(issue(html_url=url), "issues") is None


def test_a_lookalike_letter_is_not_folded_into_the_pinned_host() -> None:
    kelvin = issue(html_url="https://wor\u212a.example/acme/rocket")
    assert address_of(kelvin, "issues", Origin("work.example")) is None


@pytest.mark.parametrize("repository", [None, [], "acme/rocket", 7])
def test_a_repository_that_is_none_means_no_address(repository: Any) -> None:
    assert address_of(issue() | {"repository": repository}, "issues") is None


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://GitHub.com/Acme/Rocket", "github.com"),
        ("https://github.com:443/acme/rocket", "github.com"),
        ("https://ghe.example:8443/acme/rocket", "ghe.example:8443"),
        ("http://ghe.example:8080/acme/rocket", "ghe.example:8080"),
        ("http://ghe.example:80/acme/rocket", "ghe.example"),
        ("http://127.0.0.1:4100/acme/rocket", "127.0.0.1:4100"),
    ],
)
def test_the_host_keeps_its_port(url: str, host: str) -> None:
    address = address_of(issue(html_url=url), "issues", Origin(host))
    assert address is not None and address["host"] == host


def test_upper_case_names_are_kept_and_matched_alike() -> None:
    address = address_of(issue(full_name="Acme/Rocket"), "issues")
    assert address is not None
    assert (address["repo"], address["key"]) == ("Acme/Rocket", "github:github.com/acme/rocket#7")


segment = st.text("abcXYZ019._-", min_size=1, max_size=100)


@settings(max_examples=200, deadline=None)
@given(
    repo=st.text(max_size=40) | st.builds("{}/{}".format, segment, segment), number=st.integers()
)
def test_an_address_never_holds_what_could_leave_its_path(repo: str, number: int) -> None:
    address = address_of(issue(number, full_name=repo), "issues")
    if address is None:
        return
    owner, name = address["repo"].split("/")
    assert not {owner, name} & {".", "..", ""}
    assert set(owner + name) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
    )
    assert address["number"] == number > 0
    assert address["repo"] == repo


text = st.text(max_size=30)
leaf = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text


@settings(max_examples=200, deadline=None)
@given(
    event=st.sampled_from([*ANSWERABLE, *OTHERS]),
    key=st.sampled_from(["issue", "pull_request", "comment", "repository", "review", "action"]),
    value=st.recursive(leaf, lambda inner: st.dictionaries(text, inner, max_size=3), max_leaves=6),
)
def test_no_body_makes_understanding_crash(event: str, key: str, value: Any) -> None:
    body = payload(f"github/{event}") | {key: value}
    with suppress(Invalid):
        address_of(body, event)
