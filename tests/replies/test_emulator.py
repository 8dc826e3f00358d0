"""The whole loop against a GitHub none of us wrote: its webhook in, our comment there, its echo dropped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers import serve, wait_until, worker
from tests.standins import emulator
from tests.standins.emulator import Emulator
from tests.world import World


@pytest.fixture(scope="module")
def emulated() -> Iterator[Emulator]:
    with emulator.or_skip(emulator.start) as running:
        yield running


@pytest.mark.setting(REPLY_WAIT_SECONDS="10")
def test_a_human_is_answered_once_and_the_echo_makes_no_todo(
    world: World, environ: dict[str, str], emulated: Emulator
) -> None:
    assert world.endpoint
    source = world.add_source("emulator", host=emulated.url)
    world.connect("emulator", account_key=emulated.enterprise_url, secret=emulated.token)
    with serve(environ) as server, worker(environ):
        path = source.source["ingest_url"].partition("/hooks/")[2]
        emulated.add_webhook(f"{server.url}/hooks/{path}", source.secret)
        words = f"please look at {world.account['id']}"
        assert emulated.comment(words, emulated.human_token)[0] == 201
        wait_until(lambda: any(row["event_type"] == "issue_comment.created" for row in world.log()))
        todo = world.claim()
        assert todo["payload"]["comment"]["body"] == words
        assert todo["reply_to"]["repo"] == emulated.repo
        answer = world.reply(todo, f"On it, for {world.account['id']}.")
        assert (answer.status_code, answer.json["state"]) == (200, "sent"), answer.json
        assert answer.json["permalink"].startswith(emulated.url)
        wait_until(lambda: any(row["code"] == "self_reply" for row in world.log()))
    bodies = [each["body"] for each in emulated.comments()]
    assert bodies.count(f"On it, for {world.account['id']}.") == 1
    assert world.agent("POST", "/todos/claim-next").status_code == 204


def test_a_token_without_access_is_told_as_such(world: World, emulated: Emulator) -> None:
    from switchboard.replies.dial import dial

    assert world.endpoint
    source = world.add_source("emulator", host=emulated.url)
    world.connect("emulator", account_key=emulated.enterprise_url, secret=emulated.outsider_token)
    body = world.issue(emulated.issue)
    body["repository"].update(full_name=emulated.repo, html_url=f"{emulated.url}/{emulated.repo}")
    world.deliver(body, source=source)
    id = world.reply(world.claim(), "hello").json["reply_id"]
    dial(world.lib, id)
    found = world.agent("GET", f"/replies/{id}").json
    assert (found["state"], found["error_class"]) == ("failed", "forbidden")
