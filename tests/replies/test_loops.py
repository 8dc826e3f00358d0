"""The whole loop at every kind of place: heard, answered once by a real worker, its echo known again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from switchboard.replies.dial import dial
from tests.replies.places import Place, slack_message
from tests.servers import wait_until, worker
from tests.standins import emulator, slack_emulator
from tests.standins.slack_emulator import SlackEmulator
from tests.world import World

TEXT = "Found it: a < b & c.\nSee https://ci.example.org/run/7 for the run."


def nothing_left(world: World) -> bool:
    return bool(world.agent("POST", "/todos/claim-next").status_code == 204)


def outcome(world: World, reply_id: str) -> dict[str, Any]:
    found: dict[str, Any] = world.agent("GET", f"/replies/{reply_id}").json
    return found


@pytest.mark.setting(REPLY_WAIT_SECONDS="10")
def test_a_question_is_answered_once_where_it_was_asked_and_the_echo_makes_nothing(
    world: World, environ: dict[str, str], place: Place
) -> None:
    source, _ = place.source(world), place.connect(world)
    place.hear(world, source, place.asks(7))
    todo = world.claim()
    with worker(environ):
        answers = [world.reply(todo, TEXT, idempotency_key="one") for _ in range(3)]
    first = answers[0].json
    assert (answers[0].status_code, first["state"]) == (200, "sent"), first
    assert [answer.json["duplicate"] for answer in answers] == [False, True, True]
    [post] = place.standin.posts
    assert post.path == place.answered
    if place.kind == "slack":
        assert first["permalink"] is None
    else:
        assert first["permalink"].startswith(place.account)
    echo = place.hear(world, source, place.echoes(7, "as the provider shows it", next(place.ids)))
    assert (echo["cause"], echo["created"]) == ("self_reply", 0)
    assert nothing_left(world)


def test_somebody_elses_words_there_are_new_work(world: World, place: Place) -> None:
    source, _ = place.source(world), place.connect(world)
    place.hear(world, source, place.asks(7))
    dial(world.lib, world.reply(world.claim(), TEXT).json["reply_id"])
    heard = place.hear(world, source, place.echoes(7, TEXT, other(place)))
    assert (heard["cause"], heard["created"]) == (None, 1)


def other(place: Place) -> str:
    """An object id that the stand-in has not given."""
    return {"slack": "C0ROCKET1:1767260009.000009", "cairn": "cm_9"}.get(place.kind, "9")


@pytest.mark.setting(DIAL_SECONDS="3")
def test_an_echo_that_comes_before_the_answer_is_our_own_and_settles_the_reply(
    world: World, place: Place
) -> None:
    source, _ = place.source(world), place.connect(world)
    place.hear(world, source, place.asks(7))
    place.standin.program(["hang_after_write"])
    reply_id = world.reply(world.claim(), TEXT).json["reply_id"]
    dialling = threading.Thread(target=dial, args=(world.lib, reply_id))
    dialling.start()
    wait_until(lambda: place.standin.posts, 5)
    assert outcome(world, reply_id)["state"] == "pending"
    echo = place.hear(world, source, place.echoes(7, place.texts[0], other(place)))
    assert (echo["cause"], echo["created"]) == ("self_reply", 0)
    dialling.join(10)
    found = outcome(world, reply_id)
    assert (found["state"], found["error_code"], len(place.texts)) == ("sent", None, 1)
    assert nothing_left(world)


def test_an_echo_proves_that_an_unknown_reply_was_posted(world: World, place: Place) -> None:
    source = place.source(world)
    place.connect(world, signature="-- the fixer")
    place.hear(world, source, place.asks(7))
    place.standin.program(["reset_after_write"])
    reply_id = world.reply(world.claim(), TEXT).json["reply_id"]
    dial(world.lib, reply_id)
    assert outcome(world, reply_id)["state"] == "unknown"
    dial(world.lib, reply_id)
    [posted] = place.texts
    assert posted.endswith("\n\n-- the fixer")
    echo = place.hear(world, source, place.echoes(7, posted, other(place)))
    assert (echo["cause"], echo["created"]) == ("self_reply", 0)
    found = outcome(world, reply_id)
    assert (found["state"], found["error_class"], found["error_code"]) == ("sent", None, None)
    again = place.hear(world, source, place.echoes(7, "edited since", other(place)))
    assert again["cause"] == "self_reply"


def test_the_same_words_elsewhere_prove_nothing(world: World, place: Place) -> None:
    source, _ = place.source(world), place.connect(world)
    place.hear(world, source, place.asks(7))
    place.standin.program(["reset_after_write"])
    reply_id = world.reply(world.claim(), TEXT).json["reply_id"]
    dial(world.lib, reply_id)
    heard = place.hear(world, source, place.echoes(8, place.texts[0], other(place)))
    assert (heard["cause"], heard["created"]) == (None, 1)
    assert outcome(world, reply_id)["state"] == "unknown"


# ── a Slack none of us wrote ─────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def emulated() -> Iterator[SlackEmulator]:
    with emulator.or_skip(slack_emulator.start) as running:
        yield running


@pytest.mark.setting(REPLY_WAIT_SECONDS="10")
def test_a_message_in_an_emulated_slack_is_answered_once_in_its_thread(
    world: World, environ: dict[str, str], emulated: SlackEmulator
) -> None:
    channel = emulated.channel()
    assert world.endpoint
    source = world.add_source("slack", "slack", host=slack_emulator.TEAM)
    world.connect("slack", "slack", account_key=slack_emulator.TEAM, secret=slack_emulator.TOKEN)
    asked = emulated.call("chat.postMessage", {"channel": channel, "text": "please look"})["ts"]
    said = slack_message("please look", asked, channel=channel, team=slack_emulator.TEAM)
    assert world.signed(source, *said).status_code == 202
    todo = world.claim()
    with worker(environ | {"SWITCHBOARD_SLACK_API_URL": emulated.url}):
        answer = world.reply(todo, TEXT)
        assert (answer.status_code, answer.json["state"]) == (200, "sent"), answer.json
        assert world.reply(todo, TEXT).json["duplicate"] is True
    replies = emulated.call("conversations.replies", {"channel": channel, "ts": asked})["messages"]
    assert [message["text"] for message in replies] == [
        "please look", TEXT.replace("&", "&amp;").replace("<", "&lt;"),
    ]  # fmt: skip
    echo = slack_message(
        replies[1]["text"], replies[1]["ts"], asked, channel=channel, team=slack_emulator.TEAM
    )
    assert world.signed(source, *echo).json["cause"] == "self_reply"
    assert nothing_left(world)
