"""What Slack's events say: the thread to answer in, the words, and what tells one message twice."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.errors import Invalid
from switchboard.providers.base import Origin
from switchboard.providers.slack import Slack
from tests.world import payload

HERE = Origin("T0AB1CD2E")
THREAD = "1767258000.000100"
SIGNED = {"X-Slack-Signature": "v0=00"}


def body_of(event: str, **inner: Any) -> dict[str, Any]:
    """A recorded body, its inner event changed; a value of ... takes the member out."""
    body = payload(f"slack/{event}")
    body["event"].update(inner)
    body["event"] = {name: value for name, value in body["event"].items() if value is not ...}
    return body


def address_of(body: Any, origin: Origin = HERE) -> dict[str, Any] | None:
    address = Slack().understand(SIGNED, body, origin).address
    return None if address is None else address.as_dict()


def refused_field(body: Any) -> str | None:
    with pytest.raises(Invalid) as refused:
        Slack().understand(SIGNED, body, HERE)
    assert refused.value.code == "unmappable"
    return refused.value.field


# ── where it may be answered ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "event",
    [
        "app_mention",
        "message",
        "message.in_thread",
        "message.thread_broadcast",
        "message.message_changed",
        "message.message_deleted",
    ],
)
def test_a_message_is_answered_in_its_thread(event: str) -> None:
    assert address_of(body_of(event)) == {
        "kind": "slack_thread",
        "provider": "slack",
        "team_id": "T0AB1CD2E",
        "channel": "C0ROCKET1",
        "thread_ts": THREAD,
        "display": f"slack T0AB1CD2E/C0ROCKET1/{THREAD}",
        "key": f"slack:T0AB1CD2E/C0ROCKET1/{THREAD}",
    }


@pytest.mark.parametrize("event", ["reaction_added", "member_joined_channel"])
def test_what_is_no_message_has_no_address(event: str) -> None:
    assert address_of(body_of(event)) is None


def test_an_edited_message_outside_a_thread_is_answered_under_the_message_not_the_edit() -> None:
    body = body_of("message.message_changed")
    del body["event"]["message"]["thread_ts"]
    found = address_of(body)
    assert found is not None and found["thread_ts"] == "1767258060.000200"


def test_a_deleted_message_that_began_its_own_thread_cannot_be_answered() -> None:
    body = body_of("message.message_deleted")
    del body["event"]["previous_message"]["thread_ts"]
    assert address_of(body) is None


@pytest.mark.parametrize("team", ["T0EV1L000", None, 7, "", "t0ab1cd2e", ["T0AB1CD2E"]])
def test_another_team_than_the_pinned_has_no_address(team: Any) -> None:
    assert address_of(body_of("message") | {"team_id": team}) is None


UNSAFE = [
    ("channel", value)
    for value in (
        "", "c0rocket1", "C0/../T1", "C0 1", "C0\n", "Ｃ1", 7, None, ["C0"], {}, True, "C" * 65, "#general",
    )
] + [
    (field, value)
    for field in ("ts", "thread_ts")
    for value in (
        "", "1", "1.", ".1", "1.2.3", "1,2", "-1.0", "1.0 ", "1.0\n", "٣.٣", 1767258000.0001, ["1.0"],
        {}, True, "1" * 21 + ".1",
    )
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), UNSAFE)
def test_an_unsafe_field_means_no_address_but_still_a_todo(field: str, value: Any) -> None:
    event = Slack().understand(SIGNED, body_of("message", **{field: value}), HERE)
    assert (event.address, event.object_id, event.letter) == (None, None, "n")


def test_a_thread_of_null_is_no_thread() -> None:
    found = address_of(body_of("message", thread_ts=None, ts="1767258999.000900"))
    assert found is not None and found["thread_ts"] == "1767258999.000900"


# ── what tells a repeat ──────────────────────────────────────────────────────────────────────────


def keys_of(body: Any) -> dict[str, int | None]:
    return dict(Slack().keys(SIGNED, body, "0" * 64))


def test_one_message_has_one_name_under_every_event_that_tells_of_it() -> None:
    name = f"message:T0AB1CD2E/C0ROCKET1/{THREAD}"
    assert keys_of(body_of("message")) == keys_of(body_of("app_mention"))
    assert keys_of(body_of("message")) == {"signature:v0=00": 600, name: None}


def test_an_edit_is_no_repeat_of_what_was_edited() -> None:
    edit, original = (
        keys_of(body_of("message.message_changed")),
        keys_of(body_of("message.in_thread")),
    )
    assert set(edit) & set(original) == {"signature:v0=00"}


@pytest.mark.parametrize("event", ["reaction_added", "member_joined_channel"])
def test_what_is_no_message_is_told_by_its_signature_alone(event: str) -> None:
    assert keys_of(body_of(event)) == {"signature:v0=00": 600}


def test_a_challenge_is_never_a_repeat() -> None:
    challenge = payload("slack/url_verification")
    assert keys_of(challenge) == {}
    assert Slack().delivery_id(SIGNED, challenge) is None


def test_the_delivery_id_is_the_signed_bodys_event_id() -> None:
    assert Slack().delivery_id({"X-Slack-Retry-Num": "1"}, body_of("message")) == "Ev0000000002"


@pytest.mark.parametrize("value", [None, "", " ", 7, "é", "x" * 257, ["Ev1"]])
def test_an_event_without_an_id_is_refused_by_that_name(value: Any) -> None:
    with pytest.raises(Invalid) as refused:
        Slack().delivery_id(SIGNED, body_of("message") | {"event_id": value})
    assert (refused.value.code, refused.value.field) == ("missing_delivery_id", "event_id")


# ── the envelopes ────────────────────────────────────────────────────────────────────────────────


def test_a_challenge_is_to_be_answered_with_itself_and_makes_nothing() -> None:
    body = payload("slack/url_verification")
    event = Slack().understand(SIGNED, body, HERE)
    assert (event.answer, event.letter) == ({"challenge": body["challenge"]}, None)


@pytest.mark.parametrize("value", [None, "", 7, ["x"], {"a": 1}, "x" * 1025, "a\nb", "é", "\x00"])
def test_a_challenge_that_is_no_plain_text_is_not_echoed(value: Any) -> None:
    assert refused_field({"type": "url_verification", "challenge": value}) == "challenge"


def test_a_challenge_of_a_kibibyte_is_echoed() -> None:
    event = Slack().understand(SIGNED, {"type": "url_verification", "challenge": "x" * 1024}, HERE)
    assert event.answer == {"challenge": "x" * 1024}


def test_slack_holding_events_back_is_recorded_and_makes_nothing() -> None:
    event = Slack().understand(SIGNED, payload("slack/app_rate_limited"), HERE)
    assert (event.kind, event.letter, event.answer) == ("app_rate_limited", None, None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], "object at the top"),
        ({}, "type"),
        ({"type": ""}, "type"),
        ({"type": "block_actions", "team": {}}, "type"),
        ({"type": "event_callback"}, "event"),
        ({"type": "event_callback", "event": []}, "event"),
        ({"type": "event_callback", "event": {}}, "event.type"),
        ({"type": "event_callback", "event": {"type": "Message"}}, "event.type"),
        ({"type": "event_callback", "event": {"type": ["message"]}}, "event.type"),
    ],
)
def test_what_is_no_event_is_refused_with_the_field_it_lacks(body: Any, field: str) -> None:
    assert refused_field(body) == field


# ── the words ────────────────────────────────────────────────────────────────────────────────────


def text_of(said: str) -> str | None:
    return Slack().understand(SIGNED, body_of("message", text=said), HERE).text


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("a &amp;lt; b &lt;c&gt;", "a &lt; b <c>"),
        ("see <https://ci.example.org/run/7>", "see https://ci.example.org/run/7"),
        ("see <http://example.org|example.org>.", "see example.org."),
        ("<https://example.org/?a=1&amp;b=2>", "https://example.org/?a=1&b=2"),
        ("<mailto:a@example.org|a@example.org>", "a@example.org"),
        ("<@U1> <#C1|general> <!here>", "<@U1> <#C1|general> <!here>"),
        ("<https://a|x <https://b>", "<https://a|x https://b"),
        ("&copy; &#60;", "&copy; &#60;"),
    ],
)
def test_the_text_is_what_was_typed(said: str, typed: str) -> None:
    assert text_of(said) == typed


def test_the_title_is_the_text_on_one_line() -> None:
    event = Slack().understand(
        SIGNED, body_of("message", text="one\n\n  two\x00\u202e" + "x" * 400), HERE
    )
    assert event.title.startswith("one two x") and len(event.title) == 300


@pytest.mark.parametrize("text", ["", " \n", 7, None, ["x"], ...])
def test_without_words_the_title_says_what_happened_and_where(text: Any) -> None:
    event = Slack().understand(SIGNED, body_of("message", text=text), HERE)
    assert event.title == "message in C0ROCKET1"


def test_a_bots_message_names_its_bot() -> None:
    assert Slack().understand(SIGNED, body_of("message.bot_message"), HERE).bot_id == "B0CI00001"


def test_an_edited_bots_message_names_its_bot() -> None:
    body = body_of("message.message_changed")
    body["event"]["message"]["bot_id"] = "B0FIXER01"
    assert Slack().understand(SIGNED, body, HERE).bot_id == "B0FIXER01"


@pytest.mark.parametrize("value", ["", "b0", 7, None, ["B0"], "B0\n", "B" * 65])
def test_a_bot_id_that_is_none_names_nobody(value: Any) -> None:
    assert Slack().understand(SIGNED, body_of("message", bot_id=value), HERE).bot_id is None


# ── the team ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text", ["", "acme.slack.com", "t0ab1cd2e", "C0ROCKET1", "T", "T0 1", "T0\n", "T" * 40]
)
def test_a_team_has_to_be_given_by_its_id(text: str) -> None:
    for ask, field in ((Slack().source_host, "host"), (Slack().host_of, "account_key")):
        with pytest.raises(Invalid) as refused:
            ask(text)
        assert (refused.value.field, "T0123ABCD" in refused.value.detail) == (field, True)


def test_a_team_id_is_compared_as_it_is() -> None:
    assert (Slack().source_host("T0AB1CD2E"), Slack().host_of("T0AB1CD2E")) == ("T0AB1CD2E",) * 2
