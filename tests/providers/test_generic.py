"""A generic source takes any JSON and gives each delivery a name."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.errors import Invalid
from switchboard.providers.base import Origin
from switchboard.providers.generic import Generic


def understand(body: Any, **headers: str) -> Any:
    return Generic().understand(headers, body, Origin(""))


@pytest.mark.parametrize(
    "body", [{}, [], "", 0, 1.5, True, None, [1, {"title": "x"}], {"a": {"title": 7}}]
)
def test_any_json_becomes_work(body: Any) -> None:
    said = understand(body)
    assert (said.kind, said.title, said.letter, said.address) == (
        "generic",
        "generic event",
        "n",
        None,
    )


@pytest.mark.parametrize(
    ("body", "title", "subject"),
    [
        ({"title": "A", "message": "B"}, "A", None),
        ({"summary": "A", "text": "B"}, "A", None),
        ({"title": " ", "message": "B"}, "B", None),
        ({"title": 7, "subject": "S"}, "S", None),
        ({"title": "A", "subject": "S", "repo": "R"}, "A", "S"),
        ({"title": "A", "repository": {"full_name": "x/y"}, "project": "P"}, "A", "P"),
        ({"title": "a\r\nb\x00\u202ec"}, "a b c", None),
        ("two\nlines", "two lines", None),
        ({"type": "deploy.done"}, "deploy.done event", None),
    ],
)
def test_title_and_subject_come_from_the_usual_fields(
    body: Any, title: str, subject: str | None
) -> None:
    said = understand(body)
    assert (said.title, said.subject) == (title, subject)


def test_a_long_title_is_cut() -> None:
    assert len(understand({"title": "a" * 5000}).title) == 300


@pytest.mark.parametrize(
    ("header", "body", "kind"),
    [
        ("deploy.done", {"event": "other"}, "deploy.done"),
        ("Disk-Full", {}, "disk_full"),
        ("", {"event": "alert"}, "alert"),
        ("two words", {"type": "alert"}, "alert"),
        ("é", {"event": "A whole sentence.", "kind": "alert"}, "alert"),
        ("", {"event": 7, "type": None}, "generic"),
        ("x" * 64, [], "generic"),
    ],
)
def test_the_event_is_named_by_header_or_field(header: str, body: Any, kind: str) -> None:
    assert understand(body, **{"X-Event-Type": header}).kind == kind


@pytest.mark.parametrize("name", ["X-Delivery-Id", "webhook-id"])
def test_an_id_makes_the_delivery_known_by_it_alone(name: str) -> None:
    headers = {name: "x" * 256}
    assert Generic().delivery_id(headers, {}) == "x" * 256
    assert Generic().keys(headers, {}, "0" * 64) == {}


def test_without_an_id_the_body_tells_a_repeat_for_ten_minutes() -> None:
    assert Generic().delivery_id({}, {}) is None
    assert Generic().keys({}, {}, "0" * 63 + "f") == {f"body:{15:078d}:generic": 600}


def test_another_event_with_the_same_body_is_no_repeat() -> None:
    one, two = ({"X-Event-Type": event} for event in ("started", "done"))
    assert Generic().keys(one, {}, "0" * 64) != Generic().keys(two, {}, "0" * 64)


@pytest.mark.parametrize("given", [" ", "x" * 257, "é", "a\tb", "\ud800"], ids=repr)
def test_an_id_that_is_no_plain_one_is_refused(given: str) -> None:
    with pytest.raises(Invalid) as refused:
        Generic().delivery_id({"X-Delivery-Id": given}, {})
    assert (refused.value.code, refused.value.field) == ("missing_delivery_id", "X-Delivery-Id")


@pytest.mark.parametrize(
    "body", [{"ping": True, "title": "x"}, {"ping": 1}, {"ping": "true"}, {"ping": False}, [True]]
)
def test_only_a_plain_ping_makes_nothing(body: Any) -> None:
    assert understand({"ping": True}).letter is None
    assert understand(body).letter == "n"


def test_it_speaks_for_no_host() -> None:
    assert Generic().source_host("") == ""
    with pytest.raises(Invalid) as refused:
        Generic().source_host("git.example.org")
    assert refused.value.field == "host"
