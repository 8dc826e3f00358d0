"""What a signed source may say, and how each field that is not that is named."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.errors import Invalid
from switchboard.providers.base import Check, Event, Origin, Remark, Ticket
from switchboard.providers.signed import Signed
from tests.world import payload

KIB = 1024


def understand(body: Any) -> Event:
    return Signed().understand({}, body, Origin(""))


def body_of(name: str, /, **changed: Any) -> dict[str, Any]:
    """A recorded body changed; a value of ... takes the member out."""
    body = payload(f"signed/{name}") | changed
    return {name: value for name, value in body.items() if value is not ...}


def test_a_ticket_needs_n() -> None:
    event = understand(body_of("ticket"))
    assert (event.kind, event.letter, event.title) == ("ticket", "n", "Nightly run failed")
    assert event.artifact == Ticket(
        "Nightly run failed",
        "Step `unit` failed on main.\n\nLog: https://ci.example.org/run/7",
        ("ci", "nightly"),
    )


def test_a_comment_needs_c_and_names_its_ticket() -> None:
    event = understand(body_of("comment"))
    assert (event.kind, event.letter, event.subject) == ("comment", "c", "#1")
    assert event.artifact == Remark(1, "It failed again.")


def test_a_check_needs_k_and_its_commit_is_in_lower_case() -> None:
    event = understand(body_of("checks"))
    assert (event.kind, event.letter, event.title) == ("checks", "k", "unit: failure")
    assert event.artifact == Check(
        "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "unit",
        "failure",
        "https://ci.example.org/run/7",
        "3 of 412 failed",
    )


def test_a_ping_makes_nothing() -> None:
    event = understand(body_of("ping"))
    assert (event.kind, event.letter, event.artifact) == ("ping", None, None)


@pytest.mark.parametrize("kind", ["ticket", "comment", "checks", "ping"])
def test_nothing_it_says_can_be_answered_elsewhere(kind: str) -> None:
    assert understand(body_of(kind)).address is None


FINE = [
    ("ticket", {"body": ..., "labels": ...}),
    ("ticket", {"body": None, "labels": None}),
    ("ticket", {"title": "x" * 300, "body": "x" * 32 * KIB, "labels": ["x" * 50] * 20}),
    ("ticket", {"title": "  a family 👨‍👩‍👧 and a no-break\u00a0space  ", "unknown": {"a": 1}}),
    ("comment", {"ticket": 2**31, "body": "é" * 16 * KIB}),
    ("checks", {"url": ..., "summary": ...}),
    ("checks", {"url": None, "summary": None}),
    ("checks", {"commit": "abcdef0", "name": "x" * 128, "summary": "x" * 4 * KIB}),
    ("checks", {"commit": "f" * 64, "url": "http://[::1]:8080/" + "x" * 1000}),
    *(("checks", {"state": state}) for state in (
        "queued", "running", "success", "failure", "error", "cancelled",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "changed"), FINE)
def test_what_is_within_its_bounds_is_taken(kind: str, changed: dict[str, Any]) -> None:
    assert understand(body_of(kind, **changed)).kind == kind


NOT_TEXT = (..., None, "", " \n ", 7, True, ["x"], {"a": 1})
NOT_A_LINE = ("a\nb", "a\rb", "a\x00b", "a\x1bb", "a\x85b", "a\u2028b", "\ud800")
LONG_TEXT = ("x" * (32 * KIB + 1), "é" * (16 * KIB + 1))
WRONG = [
    *(("ticket", "title", value) for value in (*NOT_TEXT, *NOT_A_LINE, "x" * 301)),
    *(("ticket", "body", value) for value in (7, True, ["x"], {}, *LONG_TEXT)),
    *(
        ("ticket", "labels", value)
        for value in ("ci", {}, 7, ["x"] * 21, [""], [" "], [7], [None], ["x" * 51], ["a\nb"], [["x"]])
    ),
    *(("comment", "ticket", value) for value in (..., None, 0, -1, 1.0, "1", True, 2**53, [1])),
    *(("comment", "body", value) for value in (*NOT_TEXT, "\x00", *LONG_TEXT)),
    *(
        ("checks", "commit", value)
        for value in (*NOT_TEXT, "abcdef", "f" * 65, "abcdefg", "abcdef0\n", "٣" * 7, "0x12345")
    ),
    *(("checks", "name", value) for value in (*NOT_TEXT, *NOT_A_LINE, "x" * 129)),
    *(("checks", "state", value) for value in (*NOT_TEXT, "SUCCESS", "pending", "success ")),
    *(
        ("checks", "url", value)
        for value in (
            "", " ", 7, ["https://a.example"], "ftp://a.example/", "javascript:alert(1)", "//a.example",
            "https://", "https://user@a.example/", "https://u:p@a.example/", "https://a.example/ b",
            "https://a.example/\n", "https://ä.example/", "https://a.example:99999/", "https://[::1",
            "https://a.example\\@b.example/", "https://a.example:0/", "data:text/html,x",
            "https://a.example/" + "x" * 1024, "HTTPS", "http:/a.example",
        )
    ),
    *(("checks", "summary", value) for value in (7, True, ["x"], {}, "x" * (4 * KIB + 1))),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "field", "value"), WRONG)
def test_what_is_not_within_its_bounds_is_refused_by_its_name(
    kind: str, field: str, value: Any
) -> None:
    with pytest.raises(Invalid) as refused:
        understand(body_of(kind, **{field: value}))
    assert (refused.value.code, refused.value.field) == ("unmappable", field)


@pytest.mark.parametrize(
    "kind", [..., None, "", "Ticket", "tickets", 7, ["ticket"], {"a": 1}, "relay"]
)
def test_a_kind_that_there_is_not_is_refused_as_kind(kind: Any) -> None:
    with pytest.raises(Invalid) as refused:
        understand(body_of("ticket", kind=kind))
    assert (refused.value.code, refused.value.field) == ("unmappable", "kind")


@pytest.mark.parametrize("body", [[], "ticket", 7, None, True])
def test_what_is_no_object_is_refused(body: Any) -> None:
    with pytest.raises(Invalid) as refused:
        understand(body)
    assert refused.value.code == "unmappable"


def test_what_cannot_be_stored_is_taken_out_of_a_text() -> None:
    artifact = understand(body_of("comment", body="a\x00b\ud800c")).artifact
    assert artifact == Remark(1, "ab?c")


def test_a_label_named_twice_is_one() -> None:
    artifact = understand(body_of("ticket", labels=["ci", " ci ", "x"])).artifact
    assert isinstance(artifact, Ticket) and artifact.labels == ("ci", "x")
