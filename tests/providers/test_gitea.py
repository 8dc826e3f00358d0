"""Gitea and Forgejo: the headers of both, and the base URL they are known by."""

from __future__ import annotations

import hmac
from typing import Any

import pytest

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib import clock
from switchboard.providers.base import Origin
from switchboard.providers.gitea import Gitea
from tests.providers.kinds import SECRET
from tests.world import payload

RAW = b'{"action": "opened"}'
GOOD = hmac.new(SECRET.encode(), RAW, "sha256").hexdigest()
FORGEJO, GITEA, HUB = "X-Forgejo-Signature", "X-Gitea-Signature", "X-Hub-Signature-256"


def code_of(headers: dict[str, str]) -> str | None:
    try:
        Gitea().verify(headers, RAW, [SECRET], clock.now())
    except Unauthenticated as refused:
        return refused.code
    return None


@pytest.mark.parametrize(
    "headers",
    [
        {GITEA: GOOD},
        {FORGEJO: GOOD},
        {FORGEJO: GOOD, GITEA: GOOD},
        {FORGEJO: "", GITEA: GOOD},
        {GITEA: GOOD, HUB: "sha256=" + "0" * 64, "X-Gogs-Signature": "0" * 64},
    ],
)
def test_either_servers_signature_will_do(headers: dict[str, str]) -> None:
    assert code_of(headers) is None


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({}, "missing_signature"),
        ({GITEA: ""}, "missing_signature"),
        ({HUB: "sha256=" + GOOD}, "missing_signature"),
        ({"X-Gogs-Signature": GOOD}, "missing_signature"),
        ({FORGEJO: GOOD, GITEA: "0" * 64}, "bad_signature"),
        ({FORGEJO: "0" * 64, GITEA: GOOD}, "bad_signature"),
        ({GITEA: "sha256=" + GOOD}, "bad_signature"),
        ({GITEA: GOOD.upper()}, "bad_signature"),
        ({GITEA: GOOD[:-1]}, "bad_signature"),
    ],
)
def test_anything_else_is_refused(headers: dict[str, str], code: str) -> None:
    assert code_of(headers) == code


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        ({"X-Gitea-Event": "issues"}, "issues.created"),
        ({"X-Forgejo-Event": "issues"}, "issues.created"),
        (
            {"X-Gitea-Event": "issue_comment", "X-Gitea-Event-Type": "pull_request_comment"},
            "pull_request_comment.created",
        ),
        (
            {"X-Forgejo-Event": "issue_comment", "X-Gitea-Event-Type": "pull_request_comment"},
            "pull_request_comment.created",
        ),
        ({"X-GitHub-Event": "issues"}, None),
        ({}, None),
    ],
)
def test_the_event_is_named_by_the_header_that_says_most(
    headers: dict[str, str], kind: str | None
) -> None:
    assert Gitea().event_type(headers, {"action": "created"}) == kind


def test_a_body_without_an_event_is_unmappable() -> None:
    with pytest.raises(Invalid) as refused:
        Gitea().understand({}, payload("gitea/issues.opened"), Origin("git.example.org"))
    assert (refused.value.code, refused.value.field) == ("unmappable", "X-Gitea-Event")


@pytest.mark.parametrize(
    ("event", "body", "field"),
    [
        ("issues", {}, "issue"),
        ("issues", {"issue": None}, "issue"),
        ("issue_assign", {"issue": []}, "issue"),
        ("pull_request", {"pull_request": 7}, "pull_request"),
        ("pull_request_comment", {}, "pull_request"),
        ("issues", [], "object at the top"),
    ],
)
def test_a_body_without_its_object_is_unmappable(event: str, body: Any, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        Gitea().understand({"X-Gitea-Event": event}, body, Origin("git.example.org"))
    assert (refused.value.code, refused.value.field) == ("unmappable", field)


@pytest.mark.parametrize("header", ["X-Gitea-Delivery", "X-Forgejo-Delivery"])
def test_either_servers_delivery_id_counts(header: str) -> None:
    assert Gitea().delivery_id({header: "f00"}, {}) == "f00"


@pytest.mark.parametrize("headers", [{}, {"X-GitHub-Delivery": "f00"}, {"X-Gitea-Delivery": "é"}])
def test_a_delivery_without_an_id_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(Invalid) as refused:
        Gitea().delivery_id(headers, {})
    assert refused.value.code == "missing_delivery_id"


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("https://git.example.org", "git.example.org"),
        ("https://git.example.org/", "git.example.org"),
        ("https://Git.Example.org:443/forge", "git.example.org"),
        ("https://git.example.org:3000/sub/path/", "git.example.org:3000"),
        ("http://127.0.0.1:3000", "127.0.0.1:3000"),
        ("git.example.org", "git.example.org"),
        ("git.example.org:3000", "git.example.org:3000"),
    ],
)
def test_a_server_is_known_by_host_and_port(given: str, host: str) -> None:
    assert Gitea().source_host(given) == host


@pytest.mark.parametrize(
    "given",
    ["", " ", "https://", "ssh://git.example.org", "https://ana@git.example.org", "gité.example",
     "https://git.example.org?x", "https://git.example.org/../x", "https://git.example.org/./x",
     "https://git.example.org//x", "https://git.example.org:0", "git example", "x" * 300],
    ids=repr,
)  # fmt: skip
def test_any_other_base_url_is_a_clean_refusal(given: str) -> None:
    with pytest.raises(Invalid) as refused:
        Gitea().source_host(given)
    assert (refused.value.code, refused.value.field) == ("invalid_argument", "account_key")
    assert "https://git.example.org" in refused.value.detail
