"""How many replies a todo carries and an endpoint sends; a refused one burns nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.world import World


@pytest.mark.setting(REPLIES_PER_TODO="3", REPLY_RATE="0:1")
def test_a_todo_carries_its_cap_of_replies_for_life(world: World) -> None:
    todo = world.claimed()
    answers = [world.reply(todo, str(number)) for number in range(5)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 429, 429]
    assert answers[3].json["code"] == "rate_limited"
    assert world.reply(todo, "0").json["duplicate"] is True
    assert world.agent("GET", f"/todos/{todo['id']}").json["replies"]["count"] == 3


@pytest.mark.setting(REPLIES_PER_TODO="5", REPLY_RATE="0:1")
def test_the_cap_holds_when_many_come_at_once(world: World) -> None:
    todo = world.claimed()
    headers = {"Authorization": f"Bearer {world.endpoint.credential}"}
    path = f"/api/v1/todos/{todo['id']}/replies"

    def reply(number: int) -> int:
        client = world.app.test_client()
        return client.post(path, json={"text": str(number)}, headers=headers).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = sorted(pool.map(reply, range(20)))
    assert statuses == [202] * 5 + [429] * 15


def test_an_endpoint_sends_ten_replies_at_once_and_then_waits(world: World) -> None:
    todo = world.claimed()
    answers = [world.reply(todo, str(number)) for number in range(11)]
    assert [answer.status_code for answer in answers] == [202] * 10 + [429]
    assert 1 <= int(answers[10].headers["Retry-After"]) <= 2


@pytest.mark.setting(REPLY_RATE="0.01:1")
def test_a_refused_reply_may_be_sent_later_under_its_key(world: World) -> None:
    todo = world.claimed()
    world.reply(todo, "one")
    assert world.reply(todo, "two", idempotency_key="k").status_code == 429
    with world.lib.valkey.client as client:
        client.flushall()
    assert world.reply(todo, "two", idempotency_key="k").json["duplicate"] is False


@pytest.mark.setting(REPLY_RATE="0.01:1")
def test_one_endpoints_rate_is_not_anothers(world: World) -> None:
    world.reply(world.claimed(), "one")
    other = world.vend("other")
    world.deliver(world.issue(2), source=world.add_source("second", to=["other"]))
    todo = world.claim(by=other)
    answer = world.agent("POST", f"/todos/{todo['id']}/replies", {"text": "two"}, by=other)
    assert answer.status_code == 202


@pytest.mark.setting(ENDPOINT_RATE="0.01:3")
def test_an_endpoint_that_calls_too_often_is_asked_to_wait(world: World) -> None:
    answers = [world.agent("GET", "/whoami") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json["code"] == "rate_limited" and answers[3].headers["Retry-After"]


@pytest.mark.setting(REDIS_URL="unix:///nowhere/s", REPLIES_PER_TODO="2", REPLY_RATE="0.01:1")
def test_without_valkey_the_cap_still_holds_and_the_rates_let_pass(world: World) -> None:
    todo = world.claimed()
    statuses = [world.reply(todo, str(number)).status_code for number in range(3)]
    assert statuses == [202, 202, 429]
