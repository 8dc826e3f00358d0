"""Every answer Slack is known to give, over real HTTP, and what a connection makes of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any, NamedTuple

import pytest

from switchboard.errors import Invalid
from switchboard.lib.http import Client, OutboundError
from switchboard.providers.base import Credential, Identity, Posted
from switchboard.providers.slack import Slack
from switchboard.providers.slack_answers import CLASSES
from tests.standins.scripted import FAULTS, recorded
from tests.standins.slack import BOT, TEAM, SlackStandIn

TOKEN = "canary-slack-token-0123456789"
CREDENTIAL = Credential(TEAM, TOKEN)
THREAD = {"team_id": TEAM, "channel": "C0ROCKET1", "thread_ts": "1767258000.000100"}


@pytest.fixture(scope="module")
def running() -> Iterator[SlackStandIn]:
    with SlackStandIn() as standin:
        yield standin


@pytest.fixture
def slack(running: SlackStandIn) -> SlackStandIn:
    return running.anew()


@pytest.fixture
def http() -> Client:
    return Client(allow_http=True, allow_cidrs=[ip_network("127.0.0.1/32")], timeout=0.5)


def post(slack: SlackStandIn, http: Client, text: str = "On it.") -> Posted:
    return Slack(slack.url).post(http, CREDENTIAL, THREAD, text)


def probe(slack: SlackStandIn, http: Client) -> Identity:
    return Slack(slack.url).probe(http, CREDENTIAL)


# ── a post ───────────────────────────────────────────────────────────────────────────────────────


class Outcome(NamedTuple):
    state: str
    error_class: str | None = None
    code: str | None = None
    retry_after: int | None = None


UNREADABLE = Outcome("unknown", "server", "unreadable_answer")
EXPECTED = {
    "posted": Outcome("sent"),
    "posted_bare": Outcome("sent"),
    "posted_odd_ts": Outcome("sent"),
    "not_authed": Outcome("failed", "auth", "not_authed"),
    "invalid_auth": Outcome("failed", "auth", "invalid_auth"),
    "token_revoked": Outcome("failed", "auth", "token_revoked"),
    "token_expired": Outcome("failed", "auth", "token_expired"),
    "account_inactive": Outcome("failed", "auth", "account_inactive"),
    "not_in_channel": Outcome("failed", "forbidden", "not_in_channel"),
    "is_archived": Outcome("failed", "forbidden", "is_archived"),
    "restricted_action": Outcome("failed", "forbidden", "restricted_action"),
    "restricted_action_thread_locked": Outcome(
        "failed", "forbidden", "restricted_action_thread_locked"
    ),
    "missing_scope": Outcome("failed", "forbidden", "missing_scope"),
    "channel_not_found": Outcome("failed", "not_found", "channel_not_found"),
    "thread_not_found": Outcome("failed", "not_found", "thread_not_found"),
    "msg_too_long": Outcome("failed", "invalid", "msg_too_long"),
    "no_text": Outcome("failed", "invalid", "no_text"),
    "invalid_arguments": Outcome("failed", "invalid", "invalid_arguments"),
    "unknown_method": Outcome("failed", "invalid", "unknown_method"),
    "hostile_code": Outcome("failed", "invalid", "_script_alert_1_script_" + "x" * 41),
    "ratelimited_1s": Outcome("failed", "rate_limited", "ratelimited", 1),
    "ratelimited_60s": Outcome("failed", "rate_limited", "ratelimited", 60),
    "ratelimited_under_200": Outcome("failed", "rate_limited", "rate_limited", 60),
    "fatal_error": Outcome("unknown", "server", "fatal_error"),
    "internal_error": Outcome("unknown", "server", "internal_error"),
    "service_unavailable": Outcome("unknown", "server", "service_unavailable"),
    "bad_gateway": Outcome("unknown", "server", "502"),
    "server_error": Outcome("unknown", "server", "500"),
    "posted_huge": UNREADABLE,
    "garbage": UNREADABLE,
    "empty": UNREADABLE,
    "list": UNREADABLE,
    "ok_as_text": UNREADABLE,
    "redirect": Outcome("failed", "invalid", "redirect"),
}
BROKEN = {"reset_after_write": "reset", "hang_after_write": "timeout"}


def test_every_recorded_answer_and_fault_is_expected() -> None:
    told = {name for name in recorded("slack") if not name.startswith("tested")}
    assert {*EXPECTED, *BROKEN} == told | set(FAULTS)


@pytest.mark.parametrize("name", EXPECTED)
def test_each_answer_has_its_outcome(slack: SlackStandIn, http: Client, name: str) -> None:
    slack.program(name)
    found = post(slack, http)
    assert (found.state, found.error_class, found.error_code, found.retry_after) == EXPECTED[name]
    assert len(slack.requests) == 1


@pytest.mark.parametrize("name", BROKEN)
def test_a_call_that_broke_off_may_have_been_written(
    slack: SlackStandIn, http: Client, name: str
) -> None:
    slack.program(name)
    with pytest.raises(OutboundError) as broken:
        post(slack, http)
    assert (broken.value.written, broken.value.code) == (True, BROKEN[name])


def test_what_is_posted_is_the_text_in_the_thread_with_the_token(
    slack: SlackStandIn, http: Client
) -> None:
    post(slack, http, "Fixed in abc123.")
    [made] = slack.posts
    assert made.headers["authorization"] == f"Bearer {TOKEN}"
    assert made.headers["content-type"] == "application/json; charset=utf-8"
    assert made.json == {
        "channel": "C0ROCKET1",
        "thread_ts": "1767258000.000100",
        "text": "Fixed in abc123.",
        "link_names": False,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def test_no_text_mentions_everybody_or_hides_a_link(slack: SlackStandIn, http: Client) -> None:
    post(slack, http, "<!channel> <https://evil.example|https://good.example> a && b &amp;")
    assert slack.posts[0].json["text"] == (
        "&lt;!channel&gt; &lt;https://evil.example|https://good.example&gt; a &amp;&amp; b &amp;amp;"
    )


def test_a_posted_message_is_known_by_channel_and_ts(slack: SlackStandIn, http: Client) -> None:
    found = post(slack, http)
    assert re.fullmatch(r"C0ROCKET1:\d{10}\.\d{6}", found.object_id or "")
    assert found.permalink is None


@pytest.mark.parametrize("name", ["posted_bare", "posted_odd_ts"])
def test_a_name_that_is_none_is_not_kept(slack: SlackStandIn, http: Client, name: str) -> None:
    slack.program(name)
    assert post(slack, http).object_id is None


def test_the_limit_counts_characters_as_they_are_posted() -> None:
    Slack().check_text("x" * 16_384)
    Slack().check_text("&" * 8_000)
    for text in ("&" * 8_001, "<" * 10_001, "&" * 7_999 + "<>"):
        with pytest.raises(Invalid) as refused:
            Slack().check_text(text)
        assert refused.value.field == "text"


def test_what_its_signature_line_makes_too_long_is_not_sent_to_be_cut(
    slack: SlackStandIn, http: Client
) -> None:
    found = post(slack, http, "&" * 8_000 + "\n\n-- the fixer")
    assert (found.state, found.error_class, found.error_code) == (
        "failed",
        "invalid",
        "msg_too_long",
    )
    assert slack.requests == []


def test_a_code_has_one_class() -> None:
    codes = [code for group in CLASSES.values() for code in group]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(("part", "value"), [("address_host", TEAM), ("target_of", "C0ROCKET1")])
def test_a_connection_is_chosen_by_team_and_admitted_by_channel(part: str, value: Any) -> None:
    assert getattr(Slack(), part)(THREAD) == value


# ── a test ───────────────────────────────────────────────────────────────────────────────────────


def test_a_good_token_says_whose_it_is_and_as_which_bot_it_posts(
    slack: SlackStandIn, http: Client
) -> None:
    assert probe(slack, http) == Identity(True, "fixer", bot_id=BOT)
    [made] = slack.requests
    assert (made.method, made.path) == ("POST", "/api/auth.test")
    assert made.headers["authorization"] == f"Bearer {TOKEN}"


def test_a_persons_token_has_no_bot(slack: SlackStandIn, http: Client) -> None:
    slack.program(["tested_user"])
    assert probe(slack, http) == Identity(True, "mona")


def test_another_workspaces_token_does_not_serve_this_one(
    slack: SlackStandIn, http: Client
) -> None:
    slack.program(["tested_other_team"])
    assert probe(slack, http) == Identity(False, "fixer", "forbidden", "team_mismatch")


@pytest.mark.parametrize(
    ("name", "error_class"),
    [
        ("invalid_auth", "auth"),
        ("ratelimited_60s", "rate_limited"),
        ("garbage", "server"),
        ("bad_gateway", "server"),
    ],
)
def test_a_test_that_fails_says_why(
    slack: SlackStandIn, http: Client, name: str, error_class: str
) -> None:
    slack.program([name])
    found = probe(slack, http)
    assert (found.ok, found.error_class, found.bot_id) == (False, error_class, None)
