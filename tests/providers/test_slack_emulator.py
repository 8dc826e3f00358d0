"""Our calls against a Slack none of us wrote."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network

import pytest

from switchboard.lib.http import Client
from switchboard.providers.base import Credential
from switchboard.providers.slack import Slack
from tests.standins import emulator, slack_emulator
from tests.standins.slack_emulator import TEAM, TOKEN, SlackEmulator


@pytest.fixture(scope="module")
def emulated() -> Iterator[SlackEmulator]:
    with emulator.or_skip(slack_emulator.start) as running:
        yield running


@pytest.fixture
def http() -> Client:
    return Client(allow_http=True, allow_cidrs=[ip_network("127.0.0.1/32")])


def test_an_answer_stands_in_the_thread_as_it_was_written(
    emulated: SlackEmulator, http: Client
) -> None:
    channel = emulated.channel()
    ts = emulated.call("chat.postMessage", {"channel": channel, "text": "please look"})["ts"]
    address = {"team_id": TEAM, "channel": channel, "thread_ts": ts}
    found = Slack(emulated.url).post(http, Credential(TEAM, TOKEN), address, "a < b & c")
    assert (found.state, found.object_id is not None) == ("sent", True)
    assert emulated.thread(channel, ts) == ["please look", "a &lt; b &amp; c"]


def test_its_token_is_known_by_team_and_bot(emulated: SlackEmulator, http: Client) -> None:
    found = Slack(emulated.url).probe(http, Credential(TEAM, TOKEN))
    assert (found.ok, found.identity, found.bot_id) == (True, "fixer", "B0FIXER01")


def test_a_channel_that_is_not_there_is_told_as_such(emulated: SlackEmulator, http: Client) -> None:
    address = {"team_id": TEAM, "channel": "C0N0WHERE", "thread_ts": "1767258000.000100"}
    found = Slack(emulated.url).post(http, Credential(TEAM, TOKEN), address, "hello")
    assert (found.state, found.error_class, found.error_code) == (
        "failed", "not_found", "channel_not_found",
    )  # fmt: skip


def test_an_archived_channel_takes_no_answer(emulated: SlackEmulator, http: Client) -> None:
    channel = emulated.channel("random")
    emulated.call("conversations.archive", {"channel": channel})
    address = {"team_id": TEAM, "channel": channel, "thread_ts": "1767258000.000100"}
    found = Slack(emulated.url).post(http, Credential(TEAM, TOKEN), address, "hello")
    assert (found.error_class, found.error_code) == ("forbidden", "is_archived")
