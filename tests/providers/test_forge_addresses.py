"""A forge's reply address, GitHub's and Gitea's alike: a field in doubt means none at all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.kinds import address_of
from tests.providers.test_github_addresses import NUMBERS, REPOS
from tests.world import payload

HERE = "git.example.org:3000"
URLS = [
    "https://git.example.org/acme/rocket", "https://git.example.org:3001/x", "https://GIT.example.org/x",
    "https://ana@git.example.org:3000/x", "https://ana:pw@git.example.org:3000/x",
    "https://git.example.org:3000@evil.example/x", "https://evil.example/git.example.org:3000",
    "https://git.example.org.:3000/x", "https://gіt.example.org:3000/x", "https://git。example.org:3000/x",
    "https://git.example.org:3000.evil.example/x", "https://git.example.org:03000/x",
    "https://git.example.org:٣٠٠٠/x", "ssh://git.example.org:3000/x", "//git.example.org:3000/x",
    "git.example.org:3000/x", "https://git.example.org\x00:3000/x", "", None, 7, True, [], {},
]  # fmt: skip

both_forges = pytest.mark.parametrize("forge", ["github", "gitea"])


def issue(forge: str, number: Any = 7, **repository: Any) -> dict[str, Any]:
    body = payload(f"{forge}/issues.opened")
    body["issue"]["number"] = number
    body["repository"].update({"html_url": f"https://{HERE}/acme/rocket"} | repository)
    return body


@both_forges
@pytest.mark.parametrize("event", ["issues", "issue_comment", "pull_request"])
def test_a_sound_body_has_an_address_with_the_hosts_port(forge: str, event: str) -> None:
    body = issue(forge)
    if event == "pull_request":
        body["pull_request"] = body.pop("issue")
    assert address_of(forge, body, event, HERE) == {
        "kind": "forge_comment",
        "provider": forge,
        "host": HERE,
        "repo": "acme/rocket",
        "number": 7,
        "display": f"{forge} acme/rocket#7",
        "key": f"{forge}:{HERE}/acme/rocket#7",
    }


@both_forges
@pytest.mark.parametrize("repo", REPOS, ids=repr)
def test_a_doubtful_repository_means_no_address(forge: str, repo: Any) -> None:
    assert address_of(forge, issue(forge, full_name=repo), "issues", HERE) is None


@both_forges
@pytest.mark.parametrize("number", [*NUMBERS, 1.5, 2**60, -7, "07", "7\n"], ids=repr)
def test_a_doubtful_number_means_no_address(forge: str, number: Any) -> None:
    assert address_of(forge, issue(forge, number), "issues", HERE) is None


@both_forges
@pytest.mark.parametrize("url", URLS, ids=repr)
def test_a_doubtful_host_means_no_address(forge: str, url: Any) -> None:
    assert address_of(forge, issue(forge, html_url=url), "issues", HERE) is None


@both_forges
def test_an_upper_case_host_is_the_same_host(forge: str) -> None:
    body = issue(forge, html_url="HTTPS://GIT.Example.ORG:3000/acme/rocket")
    found = address_of(forge, body, "issues", HERE)
    assert found is not None and found["host"] == HERE


@both_forges
@pytest.mark.parametrize(
    "event", ["push", "star", "wiki", "issuesque", "pull_requests", "x.issues"]
)
def test_an_event_that_is_no_issue_has_no_address_whatever_it_carries(
    forge: str, event: str
) -> None:
    assert address_of(forge, issue(forge), event, HERE) is None
