"""The delivery record: complete, bounded, and without a credential in it."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

from tests.world import World

ROW = {
    "id", "source", "source_id", "kind", "event_type", "delivery_id", "subject", "status", "http_status",
    "code", "reason", "attempt", "count", "duration_ms", "bytes", "body_sha256", "remote_addr", "verified",
    "trust", "outcome", "received_at", "last_attempt_at", "diagnosis", "replay_of",
}  # fmt: skip


def whole(world: World) -> dict:
    return world.operator("GET", f"/deliveries/{world.log()[0]['id']}").json


def test_a_row_tells_everything_about_an_accepted_delivery(world: World) -> None:
    answer = world.deliver(world.issue(7), id="one").json
    [row] = world.log()
    assert set(row) == ROW
    assert (row["id"], row["source"], row["kind"]) == (answer["delivery"], "octo", "github")
    assert (row["event_type"], row["delivery_id"]) == ("issues.opened", "one")
    assert (row["status"], row["http_status"], row["verified"]) == ("accepted", 202, True)
    assert row["outcome"] == answer
    assert row["remote_addr"] == "127.0.0.1"
    assert row["received_at"].endswith("Z")


def test_credentials_in_headers_are_replaced(world: World) -> None:
    token = urlsplit(world.source.source["ingest_url"]).path.rpartition("/")[2]
    secrets = {
        "Authorization": "Bearer canary",
        "X-Hub-Signature": "sha1=canary",
        "X-Api-Key": "canary",
        "X-Gitlab-Token": "canary",
        "X-Client-Secret": "canary",
        "Proxy-Authorization": "canary",
    }
    world.deliver(
        world.issue(1), headers={**secrets, "Referer": f"https://x.example/hooks/{token}"}
    )
    kept = whole(world)["headers"]
    assert {kept[name] for name in secrets} == {"***"}
    assert kept["X-Hub-Signature-256"] == "***"
    assert kept["X-Github-Event"] == "issues"
    assert token not in json.dumps(kept)


def test_a_cookie_is_replaced(world: World) -> None:
    world.client.set_cookie("session", "canary")
    world.deliver(world.issue(1))
    assert whole(world)["headers"]["Cookie"] == "***"


def test_headers_are_bounded_and_cleaned(world: World) -> None:
    many = {f"X-Many-{number}": "v" * 5000 for number in range(90)}
    world.deliver(world.issue(1), headers={**many, "X-Odd": "a\x7f\xe9b"})
    kept = whole(world)["headers"]
    assert len(kept) <= 60
    assert max(len(value) for value in kept.values()) <= 1000


def test_sixteen_kibibytes_of_a_body_are_shown(world: World) -> None:
    world.deliver(world.issue(1) | {"pad": "é" * 20_000})
    shown = whole(world)
    assert shown["body_state"] == "cut"
    assert len(shown["body"].encode()) <= 16_384 + 3


def test_the_whole_body_reaches_the_agent(world: World) -> None:
    world.deliver(world.issue(1) | {"pad": "x" * 100_000})
    assert len(world.claim()["payload"]["pad"]) == 100_000


def test_the_log_is_paged_newest_first(world: World) -> None:
    for number in range(1, 6):
        world.deliver(world.issue(number), id=str(number))
    first = world.operator("GET", "/deliveries?limit=2").json
    second = world.operator("GET", f"/deliveries?limit=2&after={first['next']}").json
    third = world.operator("GET", f"/deliveries?limit=2&after={second['next']}").json
    pages = [[row["delivery_id"] for row in page["deliveries"]] for page in (first, second, third)]
    assert pages == [["5", "4"], ["3", "2"], ["1"]]
    assert third["next"] is None


def test_the_log_is_filtered(world: World) -> None:
    world.deliver(world.issue(1))
    world.deliver(b"no")
    wanted = {
        "status=refused": 1,
        "code=invalid_json": 1,
        "event=issues.opened": 1,
        "source=octo": 2,
        "source=nobody": 0,
        "kind=github&status=accepted": 1,
    }
    for query, count in wanted.items():
        assert len(world.operator("GET", f"/deliveries?{query}").json["deliveries"]) == count


def test_a_body_that_may_be_sent_again_is_not_kept_and_that_is_said(world: World) -> None:
    world.deliver(world.issue(1), id="one")
    world.deliver(world.issue(2), id="one")
    refused = world.log()[0]
    whole = world.operator("GET", f"/deliveries/{refused['id']}").json
    assert (whole["code"], whole["body"], whole["body_state"]) == (
        "delivery_conflict", None, "not_kept",
    )  # fmt: skip
