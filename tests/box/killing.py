"""Boxes killed at any moment under load: what was promised before each kill must hold afterwards.

One round starts a box (again) on the same data folder, lets senders deliver and an agent claim and
answer, and ends with SIGKILL to one process or to the whole box at a random moment. Shared by a short
test and by `python -m benchmarks soak`.
"""

from __future__ import annotations

import random
import threading
import time
import urllib.error
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException

from sqlalchemy import func, select

from switchboard.models import Delivery, Reply, Todo
from tests.box.boxes import RunningBox
from tests.box.people import People, settle
from tests.standins.github import GitHubStandIn

VICTIMS = ("app", "web", "worker", "valkey", "cron")
SENDERS = 3
# Whoever talks to a process that is being killed gets one of these; nothing was promised then.
BROKEN = (OSError, urllib.error.URLError, HTTPException, ValueError)


@dataclass
class Promised:
    """What the box told its callers while it lived."""

    deliveries: set[str] = field(default_factory=set)
    replies: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class Verdict:
    """What was found at the end. All but the counts should be empty or zero."""

    delivered: int
    answered: int
    lost_deliveries: set[str]
    lost_replies: set[str]
    posted_twice: dict[str, int]
    sent_but_not_posted: set[str]
    unsettled: int
    todos_beside_one_a_delivery: int


def run(
    environ: Mapping[str, str], github: GitHubStandIn, rounds: int, *, settle_seconds: float = 75.0
) -> Verdict:
    """So many rounds on one data folder, then one quiet start in which everything may settle."""
    promised, chance = Promised(), random.Random(20)
    people: People | None = None
    for number in range(rounds):
        with RunningBox(environ) as box:
            people = _move_in(box, people)
            _load_until_killed(box, people, promised, chance, number)
    assert people is not None
    with RunningBox(environ) as box:
        _wait_until_settled(box, settle_seconds)
        return _judge(box, github, promised)


def _move_in(box: RunningBox, people: People | None) -> People:
    if people is None:
        return settle(box)
    people.box = box
    return people


def _load_until_killed(
    box: RunningBox, people: People, promised: Promised, chance: random.Random, number: int
) -> None:
    stop = threading.Event()
    start = 1_000_000 * (number + 1)

    def loop(act: Callable[[int], None], first: int) -> None:
        at = first
        while not stop.is_set():
            at += 1
            try:
                act(at)
            except BROKEN:
                time.sleep(0.02)

    threads = [
        threading.Thread(
            target=loop, args=(lambda at: _deliver(people, promised, at), start + 100_000 * each)
        )
        for each in range(SENDERS)
    ]
    threads.append(threading.Thread(target=loop, args=(lambda _: _answer(people, promised), 0)))
    for thread in threads:
        thread.start()
    time.sleep(chance.uniform(0.3, 2.0))
    box.kill9(chance.choice(VICTIMS))
    box.wait(30)
    stop.set()
    for thread in threads:
        thread.join(40)


def _deliver(people: People, promised: Promised, number: int) -> None:
    answer = people.deliver(number)
    if answer.status in (200, 202):
        with promised.lock:
            promised.deliveries.add(answer.json["delivery"])


def _answer(people: People, promised: Promised) -> None:
    todo = people.agent("POST", "/todos/claim-next", {})
    if todo.status != 200:
        return
    text = f"answer to {todo.json['id']}"
    reply = people.agent("POST", f"/todos/{todo.json['id']}/replies", {"text": text})
    if reply.status in (200, 202):
        with promised.lock:
            promised.replies[reply.json["reply_id"]] = text


def _wait_until_settled(box: RunningBox, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while _unsettled(box) and time.monotonic() < deadline:
        time.sleep(0.5)


def _unsettled(box: RunningBox) -> int:
    with box.lib.db.read() as session:
        return session.scalar(select(func.count()).where(Reply.state == "pending")) or 0


def _judge(box: RunningBox, github: GitHubStandIn, promised: Promised) -> Verdict:
    with box.lib.db.read() as session:
        deliveries = set(session.scalars(select(Delivery.id)))
        replies = {row.id: row for row in session.scalars(select(Reply))}
        todos = Counter(session.scalars(select(Todo.delivery_id)))
    posts = Counter(post.json["body"] for post in github.posts)
    return Verdict(
        delivered=len(promised.deliveries),
        answered=len(promised.replies),
        lost_deliveries=promised.deliveries - deliveries,
        lost_replies=set(promised.replies) - set(replies),
        posted_twice={text: times for text, times in posts.items() if times > 1},
        sent_but_not_posted={
            row.id for row in replies.values() if row.state == "sent" and not posts[row.text]
        },
        unsettled=_unsettled(box),
        todos_beside_one_a_delivery=sum(times != 1 for times in todos.values()),
    )
