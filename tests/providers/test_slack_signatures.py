"""Slack's signature over version, time and body, checked against the example in Slack's documentation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from switchboard.errors import Unauthenticated
from switchboard.providers.slack import Slack

# https://docs.slack.dev/authentication/verifying-requests-from-slack
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
RAW = (
    b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
    b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
    b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgc"
    b"ZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
)
HEADERS = {
    "X-Slack-Request-Timestamp": "1531420618",
    "X-Slack-Signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
}
THEN = datetime.fromtimestamp(1531420618, UTC)


def refusal(headers: dict[str, str], late: int = 0, raw: bytes = RAW) -> tuple[str, str | None]:
    with pytest.raises(Unauthenticated) as refused:
        Slack().verify(headers, raw, [SECRET], THEN + timedelta(seconds=late))
    return refused.value.code, refused.value.field


def test_the_documented_example_verifies() -> None:
    Slack().verify(HEADERS, RAW, [SECRET], THEN)


@pytest.mark.parametrize("late", [300, -300])
def test_five_minutes_either_way_are_in_time(late: int) -> None:
    Slack().verify(HEADERS, RAW, [SECRET], THEN + timedelta(seconds=late))


@pytest.mark.parametrize("late", [301, -301, 10**8])
def test_a_good_signature_out_of_its_time_is_stale(late: int) -> None:
    assert refusal(HEADERS, late) == ("stale_timestamp", "X-Slack-Request-Timestamp")


def test_a_bad_signature_out_of_its_time_is_bad() -> None:
    assert refusal(HEADERS, 10**6, RAW + b"x") == ("bad_signature", "X-Slack-Signature")


@pytest.mark.parametrize("missing", HEADERS)
def test_both_headers_are_needed_and_the_missing_one_is_named(missing: str) -> None:
    assert refusal({**HEADERS, missing: ""}) == ("missing_signature", missing)


@pytest.mark.parametrize("said", ["1531420618.0", " 1531420618", "-1", "1e9", "٣", "9" * 13, "now"])
def test_a_time_that_is_not_unix_seconds_is_a_bad_signature(said: str) -> None:
    headers = {**HEADERS, "X-Slack-Request-Timestamp": said}
    assert refusal(headers)[0] == "bad_signature"


def test_a_fresh_time_put_on_a_captured_request_is_a_bad_signature() -> None:
    headers = {**HEADERS, "X-Slack-Request-Timestamp": "1796000000"}
    assert refusal(headers) == ("bad_signature", "X-Slack-Signature")


@pytest.mark.parametrize("version", ["v1=", "", "V0=", "sha256="])
def test_another_version_is_a_bad_signature(version: str) -> None:
    value = version + HEADERS["X-Slack-Signature"].removeprefix("v0=")
    assert refusal({**HEADERS, "X-Slack-Signature": value})[0] == "bad_signature"
