"""Slack through the whole box: its challenge, its retries, one message told twice, and our own words."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Iterator
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest
from werkzeug.test import TestResponse

from switchboard.access.principals import Machine
from switchboard.inbound.sources import Added
from switchboard.replies import dial
from switchboard.vault import connections, testing
from tests.standins.slack import BOT, TEAM, SlackStandIn
from tests.world import World, payload

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
NUMBERS = count(1)


@pytest.fixture
def slack() -> Iterator[SlackStandIn]:
    with SlackStandIn() as standin:
        yield standin


@pytest.fixture
def environ(environ: dict[str, str], slack: SlackStandIn) -> dict[str, str]:
    """The box's environment, Slack being the stand-in."""
    return environ | {"SWITCHBOARD_SLACK_API_URL": slack.url}


@pytest.fixture
def source(world: World) -> Added:
    assert world.endpoint
    return world.add_source("workspace", "slack", host=TEAM, secret=SECRET)


def connect(world: World) -> dict[str, Any]:
    new = connections.NewConnection(
        "slack", "workspace", TEAM, "xoxb-canary-token", owner=world.account["name"]
    )
    return connections.add(world.lib, Machine(), new)


def said(text: str = "please look", event: str = "message", **inner: Any) -> dict[str, Any]:
    """An event of its own about a message of its own."""
    number = next(NUMBERS)
    body = payload(f"slack/{event}")
    body["event_id"] = f"Ev{number:010d}"
    body["event"] |= {"text": text, "ts": f"1767259000.{number:06d}", **inner}
    return body


def deliver(
    world: World, source: Added, body: Any, *, secret: str = SECRET, late: int = 0, **headers: str
) -> TestResponse:
    """Send as Slack does; `late` seconds ago by its own signed time."""
    raw, at = json.dumps(body).encode(), str(int(time.time()) - late)
    signature = hmac.new(secret.encode(), b"v0:" + at.encode() + b":" + raw, "sha256").hexdigest()
    given = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": at,
        "X-Slack-Signature": f"v0={signature}",
        **headers,
    }
    path = urlsplit(source.source["ingest_url"]).path
    return world.client.post(path, data=raw, headers=given)


# ── the challenge ────────────────────────────────────────────────────────────────────────────────


def test_a_verified_challenge_is_echoed_each_time_and_recorded(world: World, source: Added) -> None:
    challenge = payload("slack/url_verification")
    for _ in range(2):
        answer = deliver(world, source, challenge)
        assert (answer.status_code, answer.json) == (200, {"challenge": challenge["challenge"]})
    assert [(row["status"], row["event_type"]) for row in world.log()] == [
        ("accepted", "url_verification")
    ] * 2
    assert world.agent("POST", "/todos/claim-next").status_code == 204


def test_a_forged_challenge_is_not_echoed(world: World, source: Added) -> None:
    challenge = payload("slack/url_verification")
    answer = deliver(world, source, challenge, secret="not-the-secret")
    assert (answer.status_code, answer.json["code"]) == (401, "bad_signature")
    assert challenge["challenge"] not in answer.text


def test_a_stale_challenge_is_not_echoed(world: World, source: Added) -> None:
    challenge = payload("slack/url_verification")
    answer = deliver(world, source, challenge, late=400)
    assert (answer.status_code, answer.json["code"]) == (401, "stale_timestamp")
    assert challenge["challenge"] not in answer.text


# ── one message, one todo ────────────────────────────────────────────────────────────────────────


def test_a_message_becomes_a_todo_that_is_answered_in_its_thread(
    world: World, source: Added
) -> None:
    body = said("the rocket does not start")
    assert deliver(world, source, body).status_code == 202
    todo = world.claim()
    assert todo["title"] == "the rocket does not start"
    assert todo["reply_to"]["kind"] == "slack_thread"
    assert todo["reply_to"]["thread_ts"] == body["event"]["ts"]


def test_a_retry_is_answered_with_the_original_outcome(world: World, source: Added) -> None:
    body = said()
    first = deliver(world, source, body, late=60)
    retry = deliver(
        world, source, body, **{"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}
    )
    assert (first.status_code, retry.status_code) == (202, 200)
    assert retry.json == {**first.json, "duplicate": True}


def test_the_same_message_under_another_event_makes_no_second_todo(
    world: World, source: Added
) -> None:
    message = said("hello")
    mention = {
        **message,
        "event_id": "EvOTHER",
        "event": {**message["event"], "type": "app_mention"},
    }
    first = deliver(world, source, message)
    second = deliver(world, source, mention)
    assert (second.status_code, second.json) == (200, {**first.json, "duplicate": True})
    assert world.claim() and world.agent("POST", "/todos/claim-next").status_code == 204


@pytest.mark.parametrize(
    "change",
    [{"rules": [{"when": '$event == "app_mention"', "drop": True}]}, {"to": []}, {"letters": ""}],
    ids=["a rule drops it", "no target", "no letter"],
)
def test_a_message_told_again_is_a_repeat_whatever_the_source_was_set_to_since(
    world: World, source: Added, change: dict[str, Any]
) -> None:
    message = said("hello")
    mention = message | {"event_id": "EvOTHER", "event": message["event"] | {"type": "app_mention"}}
    first = deliver(world, source, message)
    changed = world.operator("PATCH", f"/sources/{source.source['id']}", change)
    assert changed.status_code == 200
    again = deliver(world, source, mention)
    assert (again.status_code, again.json) == (200, first.json | {"duplicate": True})
    assert len(world.log()) == 1


def test_a_mention_whose_message_a_rule_drops_is_not_lost(world: World, source: Added) -> None:
    rules = [{"when": '$event == "message"', "drop": True}]
    own = source.source["id"]
    assert world.operator("PATCH", f"/sources/{own}", {"rules": rules}).status_code == 200
    message, mention = said("<@U1> help"), said("<@U1> help", "app_mention")
    mention["event"] |= {name: message["event"][name] for name in ("channel", "ts")}
    mention["team_id"] = message["team_id"]
    assert deliver(world, source, message).json["cause"] == "rule"
    assert deliver(world, source, mention).json["created"] == 1


def test_an_edit_is_new_work_in_the_same_thread(world: World, source: Added) -> None:
    body = said("hello")
    deliver(world, source, body)
    original = world.claim()
    edit = said(event="message.message_changed")
    edit["event"]["message"] |= {"ts": body["event"]["ts"], "text": "hello, all"}
    edit["event"]["message"].pop("thread_ts")
    assert deliver(world, source, edit).status_code == 202
    assert world.claim()["reply_to"] == original["reply_to"]


def test_one_event_id_with_another_body_is_a_conflict(world: World, source: Added) -> None:
    body = said("one")
    deliver(world, source, body)
    other = said("two") | {"event_id": body["event_id"]}
    answer = deliver(world, source, other)
    assert (answer.status_code, answer.json["code"]) == (409, "delivery_conflict")


def test_another_workspace_makes_a_todo_without_an_address(world: World, source: Added) -> None:
    assert deliver(world, source, said() | {"team_id": "T0EV1L000"}).status_code == 202
    assert world.claim()["reply_to"] is None


@pytest.mark.parametrize("event", ["reaction_added", "member_joined_channel"])
def test_what_is_no_message_is_work_that_cannot_be_answered(
    world: World, source: Added, event: str
) -> None:
    assert deliver(world, source, payload(f"slack/{event}")).status_code == 202
    assert world.claim()["reply_to"] is None


def test_the_verification_token_of_old_is_not_kept(world: World, source: Added) -> None:
    deliver(world, source, said())
    [row] = world.log()
    whole = world.operator("GET", f"/deliveries/{row['id']}").text
    assert "please look" in whole and "verification-token-of-old" not in whole
    assert "verification-token-of-old" not in json.dumps(world.claim())


# ── our own words ────────────────────────────────────────────────────────────────────────────────


def answered(world: World, source: Added, text: str) -> dict[str, Any]:
    """A message answered; the reply as its agent sees it."""
    connect(world)
    deliver(world, source, said())
    id = world.reply(world.claim(), text).json["reply_id"]
    dial.dial(world.lib, id)
    return world.agent("GET", f"/replies/{id}").json


def test_an_answer_is_posted_into_the_thread(
    world: World, source: Added, slack: SlackStandIn
) -> None:
    found = answered(world, source, "On it.")
    assert (found["state"], found["permalink"]) == ("sent", None)
    [post] = slack.posts
    assert (post.json["channel"], post.json["text"]) == ("C0ROCKET1", "On it.")


def test_an_answer_coming_back_makes_no_todo(
    world: World, source: Added, slack: SlackStandIn
) -> None:
    answered(world, source, "On it.")
    post = slack.posts[0].json
    ts = "1767260000.001001"
    back = said("On it.", thread_ts=post["thread_ts"], ts=ts)
    answer = deliver(world, source, back)
    assert (answer.json["cause"], answer.json["created"]) == ("self_reply", 0)


def test_an_unknown_answer_is_proved_by_its_echo_as_slack_writes_it(
    world: World, source: Added, slack: SlackStandIn
) -> None:
    slack.program("server_error")
    text = "See https://ci.example.org/run/7 & <tell> example.org"
    found = answered(world, source, text)
    assert found["state"] == "unknown"
    back = said(
        "See <https://ci.example.org/run/7> &amp; &lt;tell&gt; <http://example.org|example.org>",
        thread_ts=slack.posts[0].json["thread_ts"],
    )
    assert deliver(world, source, back).json["cause"] == "self_reply"
    assert world.agent("GET", f"/replies/{found['reply_id']}").json["state"] == "sent"


def test_what_a_tested_connections_bot_says_makes_no_todo(world: World, source: Added) -> None:
    connect(world)
    tested = testing.test(world.lib, Machine(), "workspace")
    assert (tested["ok"], tested["identity"], tested["bot_id"]) == (True, "fixer", BOT)
    answer = deliver(world, source, said("anything", bot_id=BOT))
    assert (answer.status_code, answer.json["cause"]) == (202, "self_reply")


def test_another_bot_is_heard(world: World, source: Added) -> None:
    connect(world)
    testing.test(world.lib, Machine(), "workspace")
    answer = deliver(world, source, said("build failed", bot_id="B0CI00001"))
    assert answer.json["created"] == 1


def test_the_bot_of_somebody_elses_connection_is_heard(world: World, source: Added) -> None:
    from switchboard.access import accounts

    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    new = connections.NewConnection("slack", "bens", TEAM, "xoxb-canary-token", owner="ben")
    connections.add(world.lib, Machine(), new)
    testing.test(world.lib, Machine(), "bens")
    assert deliver(world, source, said("hello", bot_id=BOT)).json["created"] == 1


def test_a_test_that_fails_does_not_forget_the_bot(
    world: World, source: Added, slack: SlackStandIn
) -> None:
    connect(world)
    testing.test(world.lib, Machine(), "workspace")
    slack.program("bad_gateway")
    assert testing.test(world.lib, Machine(), "workspace")["ok"] is False
    assert deliver(world, source, said("hello", bot_id=BOT)).json["cause"] == "self_reply"


def test_a_closed_channel_is_told_to_the_agent_in_slacks_words(
    world: World, source: Added, slack: SlackStandIn
) -> None:
    slack.program("not_in_channel")
    found = answered(world, source, "On it.")
    assert (found["state"], found["error_class"], found["error_code"]) == (
        "failed", "forbidden", "not_in_channel",
    )  # fmt: skip


def test_a_rate_limit_closes_the_connection_for_as_long_as_slack_says(
    world: World, source: Added, slack: SlackStandIn
) -> None:
    slack.program("ratelimited_60s")
    answered(world, source, "On it.")
    deliver(world, source, said())
    refused = world.reply(world.claim(), "again")
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert 50 <= refused.json["retry_after"] <= 60
    assert len(slack.posts) == 1
