"""Bodies that are signed and yet no JSON we take: a clean 422, recorded, and never a 500."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.world import World

# many refusals in a row are what is tested here, so none of them may pause the source
pytestmark = pytest.mark.setting(PAUSE_AFTER="1000000")

DEEP = 100_000
NOT_JSON = {
    "nothing": b"",
    "white space": b" \n ",
    "not JSON": b"hello",
    "cut short": b'{"action": "opened"',
    "two values": b"{} {}",
    "deep lists": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep and unclosed": b"[" * DEEP,
    "nested 65 deep": b"[" * 65 + b"]" * 65,
    "NaN": b'{"a": NaN}',
    "infinity": b'{"a": -Infinity}',
    "1e999": b'{"a": 1e999}',
    "5000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "latin-1": b'{"a": "\xe9"}',
    "a surrogate in UTF-8": b'{"a": "\xed\xa0\x80"}',
    "a duplicate key": b'{"action": "opened", "action": "closed"}',
    "a raw NUL in a string": b'{"a": "\x00"}',
    "a raw NUL": b"\x00",
}


def test_it_is_refused_and_recorded_as_invalid_json(
    world: World, subtests: pytest.Subtests
) -> None:
    for what, raw in NOT_JSON.items():
        with subtests.test(what):
            answer = world.deliver(raw)
            assert (answer.status_code, answer.json["code"]) == (422, "invalid_json")
            row = world.log()[0]
            assert (row["status"], row["code"]) == ("refused", "invalid_json")
            assert row["verified"] is True and row["bytes"] == len(raw)


def test_the_reason_is_a_sentence_for_people(world: World) -> None:
    world.deliver(NOT_JSON["5000 digits"])
    assert "sys." not in world.log()[0]["reason"]


def test_a_refused_body_is_kept_for_the_operator(world: World) -> None:
    world.deliver(b"hello")
    whole = world.operator("GET", f"/deliveries/{world.log()[0]['id']}").json
    assert (whole["body"], whole["body_state"]) == ("hello", "whole")


def test_nesting_of_64_is_read(world: World) -> None:
    body = world.issue(1) | {"deep": json.loads("[" * 63 + "]" * 63)}
    assert world.deliver(body).status_code == 202


def test_brackets_in_strings_are_not_nesting(world: World) -> None:
    body = world.issue(1)
    body["issue"]["body"] = "[" * 1000 + '\\"{{{'
    assert world.deliver(body).status_code == 202


@pytest.mark.timeout(20)
def test_an_unclosed_string_of_escapes_costs_no_more_than_its_length(world: World) -> None:
    raw = b"[" * 65 + b'"' + b'\\"' * 1_000_000
    assert world.deliver(raw).json["code"] == "invalid_json"


FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def test_a_form_with_a_payload_is_read(world: World) -> None:
    raw = urlencode({"payload": json.dumps(world.issue(7, "ÿ & ö"))}).encode()
    assert world.deliver(raw, headers=FORM).status_code == 202
    assert world.claim()["title"] == "ÿ & ö"


NOT_A_PAYLOAD = [
    b"",
    b"payload",
    b"payload=",
    b"other=1",
    b"payload={}&payload={}",
    b"payload=%ff",
    b"payload=\xff",
    b"payload=" + quote('{"a": NaN}').encode(),
    b"&".join(b"a=1" for _ in range(200)),
]


def test_a_form_without_one_good_payload_is_refused(
    world: World, subtests: pytest.Subtests
) -> None:
    for raw in NOT_A_PAYLOAD:
        with subtests.test(raw=raw[:30]):
            answer = world.deliver(raw, headers=FORM)
            assert (answer.status_code, answer.json["code"]) == (422, "invalid_json")


def test_a_form_behind_many_headers_is_still_read_by_its_agent(world: World) -> None:
    raw = urlencode({"payload": json.dumps(world.issue(7))}).encode()
    many = {f"X-Filler-{number}": "x" for number in range(80)}
    first = world.deliver(raw, headers={"Content-Type": None, **many, **FORM})
    assert first.status_code == 202
    assert world.claim()["payload"]["issue"]["number"] == 7


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    raw=st.binary(max_size=60) | values.map(lambda value: json.dumps(value).encode()),
    event=st.sampled_from(["issues", "push", "ping", "star", "pull_request_review"]),
)
def test_no_body_whatever_is_a_server_error(world: World, raw: bytes, event: str) -> None:
    assert world.deliver(raw, event).status_code in (200, 202, 409, 422)
