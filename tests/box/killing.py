"""Boxes killed at any moment under load: what was promised before each kill must hold afterwards.

One round starts whatever does not run (again), lets senders deliver and an agent claim and answer at
every box, and ends with SIGKILL to one process or to the whole of one box at a random moment; the other
boxes go on. Shared by short tests and by `python -m benchmarks kills`.
"""

from __future__ import annotations

import random
import threading
import time
import urllib.error
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.client import HTTPException

from sqlalchemy import func, select

from switchboard.models import Delivery, Reply, Todo
from tests.box.boxes import RunningBox
from tests.box.people import People, settle
from tests.standins.github import GitHubStandIn

VICTIMS = ("app", "web", "worker", "valkey", "cron")
WITHOUT_VALKEY = ("app", "web", "worker", "cron")  # where the box has none of its own
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


@dataclass
class Fleet:
    """Boxes on one database, each with the people who talk to it; a box that ended has none to run."""

    environs: Sequence[Mapping[str, str]]
    boxes: dict[int, RunningBox] = field(default_factory=dict)
    people: list[People] = field(default_factory=list)

    def start(self) -> None:
        """Start the boxes that do not run."""
        for number, environ in enumerate(self.environs):
            if number not in self.boxes:
                self.boxes[number] = RunningBox(environ)
        if not self.people:
            first = settle(self.boxes[0])
            # each numbers its deliveries in a range of its own
            self.people = [
                replace(first, sent=10_000_000 * each) for each in range(len(self.environs))
            ]
        for number, each in enumerate(self.people):
            each.box = self.boxes[number]

    def kill(self, number: int, victim: str) -> None:
        """SIGKILL to that part of a box, which then ends."""
        box = self.boxes.pop(number)
        try:
            box.kill9(victim)
            box.wait(30)
        finally:
            box.close()

    def close(self) -> None:
        """End all."""
        for box in self.boxes.values():
            box.close()


def run(
    environs: Sequence[Mapping[str, str]],
    github: GitHubStandIn,
    rounds: int,
    *,
    victims: Sequence[str] = VICTIMS,
    settle_seconds: float = 75.0,
) -> Verdict:
    """So many rounds, one box an environment, then a quiet time in which everything may settle."""
    fleet, promised, chance = Fleet(environs), Promised(), random.Random(20)
    try:
        for number in range(rounds):
            fleet.start()
            _load_until_killed(fleet, promised, chance, number, victims)
        fleet.start()
        box = fleet.boxes[0]
        _wait_until_settled(box, settle_seconds)
        return _judge(box, github, promised)
    finally:
        fleet.close()


def _load_until_killed(
    fleet: Fleet, promised: Promised, chance: random.Random, number: int, victims: Sequence[str]
) -> None:
    stop = threading.Event()

    def loop(act: Callable[[int], None], first: int) -> None:
        at = first
        while not stop.is_set():
            at += 1
            try:
                act(at)
            except BROKEN:
                time.sleep(0.02)

    threads, start = [], 1_000_000 * (number + 1)
    for people in fleet.people:
        for _ in range(SENDERS):
            start += 100_000
            threads.append(
                threading.Thread(
                    target=loop,
                    args=(lambda at, people=people: _deliver(people, promised, at), start),
                )
            )
        threads.append(
            threading.Thread(
                target=loop, args=(lambda _, people=people: _answer(people, promised), 0)
            )
        )
    for thread in threads:
        thread.start()
    time.sleep(chance.uniform(0.3, 2.0))
    fleet.kill(chance.randrange(len(fleet.environs)), chance.choice(victims))
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
