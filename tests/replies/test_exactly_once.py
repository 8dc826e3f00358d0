"""Exactly once, with real web and worker processes: at once, killed, flushed, swept."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from switchboard.lib import clock
from switchboard.models import Reply
from switchboard.replies.sweep import sweep
from tests import backends
from tests.servers import serve, wait_until, worker
from tests.standins.github import GitHubStandIn
from tests.world import World


def state(world: World, reply_id: str) -> str:
    return world.agent("GET", f"/replies/{reply_id}").json["state"]


def age(world: World, seconds: float, **more: Any) -> None:
    """Make every reply as old as that."""
    values = {"created_at": clock.ago(seconds), **more}
    with world.lib.db.write() as session:
        session.execute(update(Reply).values(**values))


@pytest.mark.setting(REPLY_WAIT_SECONDS="10")
def test_a_reply_is_posted_by_a_worker_and_answered_with_its_outcome(
    world: World, environ: dict[str, str], github: GitHubStandIn, subtests: pytest.Subtests
) -> None:
    todo = world.claimed(7)
    with subtests.test("the caller who does not wait gets where to ask again"):
        answer = world.reply(todo, "More.", wait=0)
        assert (answer.status_code, answer.json["state"]) == (202, "pending")
        where = answer.headers["Location"]
        assert answer.json["url"] == where == f"/api/v1/replies/{answer.json['reply_id']}"
    with worker(environ):
        wait_until(lambda: state(world, answer.json["reply_id"]) == "sent", 30)
        with subtests.test("the caller who waits gets the outcome"):
            answer = world.reply(todo, "Done.")
            assert answer.status_code == 200
            assert set(answer.json) == {
                "reply_id", "state", "duplicate", "display", "permalink", "error_class",
                "error_code",
            }  # fmt: skip
            assert (answer.json["state"], answer.json["duplicate"]) == ("sent", False)
            assert answer.json["display"] == "github acme/rocket#7"
            assert answer.json["permalink"].startswith("https://github.com/acme/rocket/issues/7#")
        with subtests.test("the todo tells of its replies"):
            replies = world.agent("GET", f"/todos/{todo['id']}").json["replies"]
            assert (replies["count"], replies["last_state"]) == (2, "sent")
            assert replies["last_permalink"]
    assert [post.json["body"] for post in github.posts] == ["More.", "Done."]


@pytest.mark.setting(REPLY_RATE="0:1", REPLY_WAIT_SECONDS="5")
def test_fifty_calls_with_one_key_make_one_post(
    world: World, environ: dict[str, str], github: GitHubStandIn
) -> None:
    todo = world.claimed(7)
    body = b'{"text": "Done.", "idempotency_key": "one"}'
    headers = {"Authorization": f"Bearer {world.endpoint.credential}"}
    path = f"/api/v1/todos/{todo['id']}/replies"
    with worker(environ), worker(environ), serve(environ) as server:
        with ThreadPoolExecutor(50) as pool:
            calls = [pool.submit(server.call, "POST", path, body, headers) for _ in range(50)]
            answers = [call.result() for call in calls]
        assert {answer.status for answer in answers} <= {200, 202}, answers
        assert len({answer.json["reply_id"] for answer in answers}) == 1
        assert Counter(answer.json["duplicate"] for answer in answers) == {False: 1, True: 49}
        wait_until(lambda: state(world, answers[0].json["reply_id"]) == "sent", 30)
    assert len(github.posts) == 1


@pytest.mark.setting(DIAL_SECONDS="30")
def test_a_worker_killed_while_it_waits_leaves_unknown_and_one_post(
    world: World, environ: dict[str, str], github: GitHubStandIn
) -> None:
    todo = world.claimed(7)
    github.program(["hang_after_write"])
    with worker(environ) as victim:
        id = world.reply(todo, "Done.").json["reply_id"]
        github.wait_for_posts(1, 30)
        victim.kill()
    assert state(world, id) == "pending"
    age(world, 90, dial_started_at=clock.ago(90))
    assert sweep(world.lib).unknown == 1
    found = world.agent("GET", f"/replies/{id}").json
    assert (found["state"], found["error_class"], found["error_code"]) == (
        "unknown", "network", "worker_lost",
    )  # fmt: skip
    with worker(environ):
        sweep(world.lib)
        assert world.reply(todo, "Done.").json["state"] == "unknown"
    assert len(github.posts) == 1


@pytest.mark.setting(REQUEUE_AFTER_SECONDS="0", REPLY_RATE="0:1")
def test_after_a_flush_of_valkey_every_pending_reply_is_posted_once(
    world: World, environ: dict[str, str], github: GitHubStandIn
) -> None:
    todo = world.claimed(7)
    ids = [world.reply(todo, f"answer {number}").json["reply_id"] for number in range(10)]
    backends.flush(environ["SWITCHBOARD_REDIS_URL"])
    with worker(environ), worker(environ), ThreadPoolExecutor(4) as pool:
        # several sweeps at once ring several times for one reply
        list(pool.map(lambda _: sweep(world.lib), range(4)))
        wait_until(lambda: all(state(world, id) == "sent" for id in ids), 30)
    assert sorted(post.json["body"] for post in github.posts) == [
        f"answer {number}" for number in range(10)
    ]


@pytest.mark.setting(REQUEUE_AFTER_SECONDS="15")
def test_a_sweep_rings_for_what_is_overdue_only(world: World) -> None:
    world.reply(world.claimed(7), "Done.")
    assert sweep(world.lib).rung == 0
    age(world, 16)
    assert sweep(world.lib).rung == 1
    age(world, 16, not_before=clock.ahead(60))
    assert sweep(world.lib).rung == 0


def test_a_reply_nobody_dialled_for_a_day_has_expired(world: World, github: GitHubStandIn) -> None:
    from switchboard.replies.dial import dial

    id = world.reply(world.claimed(7), "Done.").json["reply_id"]
    age(world, 86_401)
    assert sweep(world.lib).expired == 1
    found = world.agent("GET", f"/replies/{id}").json
    assert (found["state"], found["error_class"], found["error_code"]) == (
        "failed", "network", "expired",
    )  # fmt: skip
    dial(world.lib, id)
    assert github.posts == []


def test_a_sweep_leaves_a_dial_under_way_alone(world: World) -> None:
    id = world.reply(world.claimed(7), "Done.").json["reply_id"]
    age(world, 30, dial_started_at=clock.now() - timedelta(seconds=30))
    assert (sweep(world.lib).unknown, state(world, id)) == (0, "pending")
    age(world, 90, dial_started_at=clock.now() - timedelta(seconds=61))
    assert (sweep(world.lib).unknown, state(world, id)) == (1, "unknown")


@pytest.mark.setting(DIAL_SECONDS="30")
def test_a_late_answer_is_better_than_unknown(
    world: World, environ: dict[str, str], github: GitHubStandIn
) -> None:
    todo = world.claimed(7)
    github.program(["hang_after_write"])
    with worker(environ):
        id = world.reply(todo, "Done.").json["reply_id"]
        github.wait_for_posts(1, 30)
        age(world, 90, dial_started_at=clock.ago(90))
        assert sweep(world.lib).unknown == 1
        github.release()
        wait_until(lambda: state(world, id) == "sent", 30)
    assert len(github.posts) == 1
