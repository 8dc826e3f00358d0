"""Copies of one delivery that arrive at the same instant, at several processes."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from tests.servers import Answer, Server, serve
from tests.world import World, sign

# many refusals in a row are what is tested here, so none of them may pause the source
pytestmark = pytest.mark.setting(PAUSE_AFTER="1000000")


def statuses(answers: list[Answer]) -> Counter[int]:
    return Counter(answer.status for answer in answers)


def send(server: Server, world: World, raw: bytes, id: str) -> Answer:
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": id,
        "X-Hub-Signature-256": sign(world.source.secret, raw),
    }
    return server.call("POST", urlsplit(world.source.source["ingest_url"]).path, raw, headers)


def at_once(server: Server, world: World, deliveries: list[tuple[bytes, str]]) -> list[Answer]:
    with ThreadPoolExecutor(len(deliveries)) as pool:
        return list(pool.map(lambda each: send(server, world, *each), deliveries))


def test_copies_at_the_same_instant_have_one_winner(
    world: World, environ: dict[str, str], subtests: pytest.Subtests
) -> None:
    assert world.source
    raw = [json.dumps(world.issue(number)).encode() for number in range(30)]
    with serve(environ) as server:
        with subtests.test("fifty copies make one todo and have one outcome"):
            answers = at_once(server, world, [(raw[0], "one")] * 50)
            assert statuses(answers) == {202: 1, 200: 49}
            assert len({answer.json["delivery"] for answer in answers}) == 1
            assert sum(answer.json["duplicate"] for answer in answers) == 49
        with subtests.test("twenty copies under twenty ids"):
            answers = at_once(server, world, [(raw[1], f"id-{number}") for number in range(20)])
            assert statuses(answers) == {202: 1, 200: 19}
        with subtests.test("twenty bodies under one id"):
            answers = at_once(server, world, [(each, "same") for each in raw[2:22]])
            assert statuses(answers) == {202: 1, 409: 19}
        with subtests.test("twenty copies of a refusal are one refusal"):
            answers = at_once(server, world, [(b"hello", "bad")] * 20)
            assert statuses(answers) == {422: 20}
            assert len({answer.body for answer in answers}) == 1
        with subtests.test("a flood of forged ones folds, and none is an error"):
            path = urlsplit(world.source.source["ingest_url"]).path
            with ThreadPoolExecutor(16) as pool:
                calls = [pool.submit(server.call, "POST", path, b"{}") for _ in range(300)]
            assert {call.result().status for call in calls} == {401}
    assert len(world.agent("GET", "/todos").json["todos"]) == 3
    rows = world.log()
    codes = Counter(row["code"] for row in rows if row["code"] != "missing_signature")
    assert codes == {"accepted": 3, "delivery_conflict": 19, "invalid_json": 1}
    forged = [row for row in rows if row["code"] == "missing_signature"]
    assert sum(row["count"] for row in forged) == 300
    assert len(forged) <= 2 * 61 + 16  # those under way together do not see each other
