"""Cairn: the event's id and time stand in the signed body, and count only there."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib import clock
from switchboard.providers.base import Origin, Sample
from switchboard.providers.cairn import Cairn
from switchboard.providers.signing import SEEN_SECONDS
from tests.providers.kinds import SECRET, address_of
from tests.world import payload

HERE = Origin("cairn.example.org")


def event(**changed: Any) -> dict[str, Any]:
    now = clock.iso(clock.now())
    return payload("cairn/artifact.commented") | {"created_at": now} | changed


def code_of(body: Any, **headers: str) -> str | None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = Cairn().sign(Sample(headers, raw), SECRET, clock.now())
    try:
        Cairn().verify(sent, raw, [SECRET], clock.now())
    except Unauthenticated as refused:
        return refused.code
    return None


def refusal_of(body: Any) -> tuple[str, str | None]:
    with pytest.raises(Invalid) as refused:
        Cairn().understand({}, body, HERE)
    return refused.value.code, refused.value.field


def ago(seconds: float) -> str:
    return (clock.now() - timedelta(seconds=seconds)).isoformat()


@pytest.mark.parametrize("seconds", [0, 290, -290])
def test_an_event_of_the_last_five_minutes_is_let_in(seconds: int) -> None:
    assert code_of(event(created_at=ago(seconds))) is None


@pytest.mark.parametrize("seconds", [310, -310, 86_400, -86_400])
def test_an_event_of_another_time_is_stale(seconds: int) -> None:
    assert code_of(event(created_at=ago(seconds))) == "stale_timestamp"


def test_a_time_in_another_zone_is_the_same_time() -> None:
    there = clock.now().isoformat().replace("+00:00", "Z")
    assert code_of(event(created_at=there)) is None
    assert code_of(event(created_at=there.replace("Z", "+05:00"))) == "stale_timestamp"


def test_nanoseconds_are_read() -> None:
    now = clock.now().strftime("%Y-%m-%dT%H:%M:%S")
    body = event(created_at=f"{now}.123456789z".replace("T", "t"))
    assert code_of(body) is None
    assert Cairn().understand({}, body, HERE).kind == "artifact.commented"


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2026-11-02", "2026-11-02T10:00:00", "2026-11-02 10:00:00Z", "2026-W45-1T10:00:00Z",
     "2026-02-31T10:00:00Z", "2026-11-02T25:00:00Z", "20261102T100000Z", "1700000000",
     "\u0662026-11-02T10:00:00Z", "2026-11-02T10:00:00Z\n", 1700000000, None, True, [], {}],
    ids=repr,
)  # fmt: skip
def test_an_event_without_a_time_makes_nothing(text: Any) -> None:
    assert refusal_of(event(created_at=text)) == ("unmappable", "created_at")


def test_a_signed_form_has_its_time_checked_as_well() -> None:
    raw = urlencode({"payload": json.dumps(event(created_at=ago(310)))}).encode()
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert code_of(raw, **form) == "stale_timestamp"


@pytest.mark.parametrize("raw", [b"", b"not json", b"[1]", b"7", b'{"a": NaN}', b"\xff"])
def test_a_signed_body_that_is_no_object_is_let_in_to_be_refused_for_that(raw: bytes) -> None:
    assert code_of(raw) is None


def test_a_header_that_names_another_event_is_a_bad_signature() -> None:
    assert code_of(event(event_id="evt_1"), **{"X-Cairn-Event-Id": "evt_2"}) == "bad_signature"


@pytest.mark.parametrize("headers", [{}, {"X-Cairn-Event-Id": ""}, {"X-Cairn-Event-Id": "evt_1"}])
def test_the_id_comes_from_the_signed_body(headers: dict[str, str]) -> None:
    body = event(event_id="evt_1")
    assert code_of(body, **headers) is None
    assert Cairn().delivery_id(headers, body) == "evt_1"


@pytest.mark.parametrize("given", [None, "", " ", 7, "é", "x" * 257, "a\nb", []], ids=repr)
def test_an_event_without_an_id_is_refused(given: Any) -> None:
    with pytest.raises(Invalid) as refused:
        Cairn().delivery_id({"X-Cairn-Event-Id": "evt_1"}, event(event_id=given))
    assert (refused.value.code, refused.value.field) == ("missing_delivery_id", "event_id")


def test_the_signature_tells_a_repeat_for_twice_the_window() -> None:
    assert Cairn().keys({"X-Cairn-Signature": "sha256=ab"}, {}, "0" * 64) == {
        "signature:sha256=ab": SEEN_SECONDS
    }


def test_the_kind_is_the_signed_one() -> None:
    said = Cairn().understand({"X-Cairn-Event": "artifact.expired"}, event(), HERE)
    assert said.kind == "artifact.commented"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"kind": None}, "kind"),
        ({"kind": "Artifact Created"}, "kind"),
        ({"kind": 7}, "kind"),
        ({"artifact": None}, "artifact"),
        ({"artifact": "sQ7"}, "artifact"),
    ],
)
def test_an_event_that_says_too_little_is_unmappable(changed: dict[str, Any], field: str) -> None:
    assert refusal_of(event(**changed)) == ("unmappable", field)


def artifact(**changed: Any) -> dict[str, Any]:
    body = event()
    return body | {"artifact": body["artifact"] | changed}


@pytest.mark.parametrize(
    ("url", "host", "instance"),
    [
        ("https://cairn.example.org/x", "cairn.example.org", "https://cairn.example.org"),
        ("HTTPS://Cairn.Example.org:443/x", "cairn.example.org", "https://cairn.example.org"),
        ("http://cairn.example.org:8080/x", "cairn.example.org:8080", "http://cairn.example.org:8080"),
    ],
)  # fmt: skip
def test_an_artifact_is_answered_at_its_instance(url: str, host: str, instance: str) -> None:
    assert address_of("cairn", artifact(url=url), "artifact", host) == {
        "kind": "cairn_comment",
        "provider": "cairn",
        "instance": instance,
        "artifact_id": "sQ7_pL-2",
        "display": "cairn sQ7_pL-2",
        "key": f"cairn:{host}/sQ7_pL-2",
    }


IDS = ["", "..", ".", "a/b", "a b", "a\n", "a\x00", "a%2fb", "a?b", "a#b", "аbc", "ａｂｃ", "é", "x" * 129,
       7, 0, True, None, [], {}, 1.5]  # fmt: skip
URLS = ["https://evil.example/x", "https://cairn.example.org:8443/x", "https://ana@cairn.example.org/x",
        "https://cairn.example.org@evil.example/x", "https://cairn.example.org.evil.example/x",
        "https://cаirn.example.org/x", "ftp://cairn.example.org/x", "//cairn.example.org/x", "/x", "",
        "https://cairn.example.org\x00/x", "https://[cairn.example.org/x", None, 7, []]  # fmt: skip


@pytest.mark.parametrize("given", IDS, ids=repr)
def test_a_doubtful_artifact_id_means_no_address(given: Any) -> None:
    assert address_of("cairn", artifact(id=given), "artifact") is None


@pytest.mark.parametrize("url", URLS, ids=repr)
def test_a_doubtful_instance_means_no_address(url: Any) -> None:
    assert address_of("cairn", artifact(url=url), "artifact") is None


def test_only_artifact_events_have_an_address() -> None:
    assert address_of("cairn", event(kind="run.finished"), "run") is None


@pytest.mark.parametrize(
    ("given", "object_id"),
    [("cmt_9", "cmt_9"), (9, "9"), ("a/b", None), ("", None), (True, None), (-1, None), (None, None)],
)  # fmt: skip
def test_a_comment_is_known_by_a_plain_id(given: Any, object_id: str | None) -> None:
    said = Cairn().understand({}, event(comment={"id": given, "body": "x"}), HERE)
    assert said.object_id == object_id
