"""The limits of replies on two web processes, with a real worker: each says when to come back."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.servers import Answer, Server, serve, wait_until, worker
from tests.standins.github import GitHubStandIn
from tests.world import World


@pytest.fixture
def server(environ: dict[str, str], world: World) -> Iterator[Server]:
    assert world.connection
    with serve(environ, processes=2) as running:
        yield running


def reply(server: Server, world: World, todo: dict[str, Any], text: str) -> Answer:
    """One call on a connection of its own, so that either process may take it."""
    headers = {"Authorization": f"Bearer {world.endpoint.credential}"}
    body = json.dumps({"text": text, "wait": 0}).encode()
    return server.call("POST", f"/api/v1/todos/{todo['id']}/replies", body, headers)


def at_once(server: Server, world: World, todo: dict[str, Any], number: int) -> list[Answer]:
    """So many replies at the same moment."""
    ready = threading.Barrier(number)

    def one(at: int) -> Answer:
        ready.wait()
        return reply(server, world, todo, f"answer {at}")

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def refusals(answers: list[Answer]) -> list[Answer]:
    """Those that were refused, each saying twice when to come back."""
    refused = [answer for answer in answers if answer.status == 429]
    for answer in refused:
        assert answer.json["code"] == "rate_limited"
        assert int(answer.headers["Retry-After"]) == answer.json["retry_after"]
    return refused


def test_the_eleventh_reply_at_once_waits_two_seconds(server: Server, world: World) -> None:
    answers = at_once(server, world, world.claimed(), 12)
    statuses = Counter(answer.status for answer in answers)
    assert statuses == {202: 10, 429: 2}
    assert {answer.json["retry_after"] for answer in refusals(answers)} <= {1, 2}


@pytest.mark.setting(REPLY_RATE="0:1")
def test_the_twenty_first_reply_of_a_todo_is_one_too_many_for_good(
    server: Server, world: World
) -> None:
    todo = world.claimed()
    answers = at_once(server, world, todo, 24)
    assert Counter(answer.status for answer in answers) == {202: 20, 429: 4}
    assert {answer.json["retry_after"] for answer in refusals(answers)} == {86_400}
    assert world.agent("GET", f"/todos/{todo['id']}").json["replies"]["count"] == 20


@pytest.mark.setting(REPLY_RATE="0:1")
def test_a_connection_may_have_another_cap(server: Server, world: World) -> None:
    path, config = f"/connections/{world.connection['id']}", {"replies_per_todo": 30}
    assert world.operator("PATCH", path, {"config": config}).json["replies_per_todo"] == 30
    answers = at_once(server, world, world.claimed(), 32)
    assert Counter(answer.status for answer in answers) == {202: 30, 429: 2}
    too_many = world.operator("PATCH", path, {"config": {"replies_per_todo": 101}})
    assert (too_many.status_code, too_many.json["field"]) == (422, "replies_per_todo")


@pytest.mark.setting(REPLY_RATE="0:1")
def test_a_providers_429_closes_its_connection_in_every_process_and_no_other(
    server: Server, world: World, environ: dict[str, str], github: GitHubStandIn
) -> None:
    todo = world.claimed()
    github.program(["rate_limited_60s"])
    first = reply(server, world, todo, "the one that was refused")
    with worker(environ):
        path = f"/replies/{first.json['reply_id']}"
        wait_until(lambda: world.agent("GET", path).json["state"] == "failed", 30)
        answers = at_once(server, world, todo, 8)
        assert Counter(answer.status for answer in answers) == {429: 8}
        assert all(40 <= each.json["retry_after"] <= 60 for each in refusals(answers))
        elsewhere = another_connection(world)
        answer = reply(server, world, elsewhere, "answered")
        assert answer.status == 202
    assert len(github.posts) >= 1


def another_connection(world: World) -> dict[str, Any]:
    """A claimed todo from another server, with a connection for it."""
    host = "ghe.example.org"
    source = world.add_source("other", host=host, to=["fixer"])
    world.connect("other", account_key=host)
    body = world.issue(9)
    body["repository"]["html_url"] = f"https://{host}/acme/rocket"
    assert world.deliver(body, source=source).status_code == 202
    return world.claim()
