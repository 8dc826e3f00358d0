"""Notify hooks with real workers: who hangs delays nobody, who is killed loses nothing."""

from __future__ import annotations

import time

import pytest

from switchboard.lib import clock
from switchboard.notify.sweep import sweep
from tests import backends
from tests.notify.bells import calls, change, come_due, ring_due, said, set_hook, verified
from tests.servers import wait_until, worker
from tests.standins.github import GitHubStandIn
from tests.standins.receiver import HANG, Receiver
from tests.world import World


def states(world: World) -> list[str]:
    return [row.state for row in calls(world)]


def test_a_worker_rings_for_what_comes_in(
    world: World, receiver: Receiver, environ: dict[str, str]
) -> None:
    secret = set_hook(world, receiver.url)
    with worker(environ):
        todos = [world.deliver(world.issue(n)).json["todos"][0]["id"] for n in range(20)]
        receiver.wait_for(20, 30)
        wait_until(lambda: states(world) == ["sent"] * 20, 30)
    assert sorted(verified(call, secret)["data"]["todo"] for call in receiver.calls) == todos
    assert len({call.id for call in receiver.calls}) == 20


def test_a_receiver_that_hangs_delays_neither_a_reply_nor_another_hook(
    world: World, receiver: Receiver, environ: dict[str, str], github: GitHubStandIn
) -> None:
    assert world.endpoint and world.connection
    other = world.vend("other")
    slow = world.add_source("slow", to=["fixer"])
    quick = world.add_source("quick", to=["other"])
    with Receiver() as hanging, worker(environ):
        hanging.program(HANG)
        set_hook(world, hanging.url)
        set_hook(world, receiver.url, other)
        for number in range(10):
            world.deliver(world.issue(number + 1), source=slow)
        hanging.wait_for(1, 20)
        began = time.monotonic()
        world.deliver(world.issue(77), source=quick)
        todo = world.claim()
        answer = world.reply(todo, "Not kept waiting.")
        assert answer.status_code == 202, answer.json
        github.wait_for_posts(1, 4)
        receiver.wait_for(1, 4)
        assert time.monotonic() - began < 4  # less than the one call that hangs takes
        assert len(hanging.calls) == 1  # one call of one hook at a time
        wait_until(lambda: calls(world)[0].error_code == "timeout", 15)


def test_more_hooks_that_hang_than_places_leave_room_for_one_that_works(
    world: World, receiver: Receiver, environ: dict[str, str]
) -> None:
    """Once they are known to fail: four of eight places are for those."""
    with Receiver() as hanging, worker(environ):
        hanging.program(HANG)
        for number in range(6):
            bad = world.vend(f"bad-{number}")
            set_hook(world, f"{hanging.url}/{number}", bad)
            source = world.add_source(f"bad-{number}", to=[f"bad-{number}"])
            world.deliver(world.issue(number), source=source)
        hanging.wait_for(6, 20)
        wait_until(lambda: all(row.error_code == "timeout" for row in calls(world)), 20)
        come_due(world)
        assert sweep(world.lib).rung == 6
        hanging.wait_for(10, 10)
        good = world.vend("good")
        set_hook(world, receiver.url, good)
        source = world.add_source("good", to=["good"])
        began = time.monotonic()
        world.deliver(world.issue(99), source=source)
        receiver.wait_for(1, 4)
        assert time.monotonic() - began < 4
        assert len(hanging.calls) == 10


def test_a_hook_that_takes_its_time_over_much_work_lines_up_again(
    world: World,
    receiver: Receiver,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_hook(world, receiver.url)
    for number in range(3):
        world.deliver(world.issue(number))
    backends.flush(environ["SWITCHBOARD_REDIS_URL"])
    monkeypatch.setattr("switchboard.notify.ringing.TURN_SECONDS", 0.0)
    ring_due(world)
    assert states(world) == ["pending"] * 3  # its turn was over before it began
    monkeypatch.undo()
    with worker(environ):
        receiver.wait_for(3, 20)


def test_a_worker_killed_in_the_middle_of_a_call_loses_only_time(
    world: World, receiver: Receiver, environ: dict[str, str]
) -> None:
    secret = set_hook(world, receiver.url)
    receiver.program([HANG])
    with worker(environ) as victim:
        world.deliver(world.issue(1))
        receiver.wait_for(1, 20)
        victim.kill()
    assert (states(world), calls(world)[0].attempts) == (["pending"], 1)
    assert sweep(world.lib).taken_back == 0
    change(world, claimed_at=clock.ago(31))
    assert sweep(world.lib).taken_back == 1
    with worker(environ):
        receiver.wait_for(2, 20)
        wait_until(lambda: states(world) == ["sent"], 10)
    first, second = receiver.calls
    assert (first.id, first.body) == (second.id, second.body)
    assert verified(second, secret)
    assert calls(world)[0].attempts == 2


def test_a_bell_the_queue_lost_is_rung_by_the_sweep(
    world: World, receiver: Receiver, environ: dict[str, str]
) -> None:
    set_hook(world, receiver.url)
    todos = [world.deliver(world.issue(n)).json["todos"][0]["id"] for n in range(5)]
    backends.flush(environ["SWITCHBOARD_REDIS_URL"])
    with worker(environ), worker(environ):
        for _ in range(3):
            sweep(world.lib)
        wait_until(lambda: states(world) == ["sent"] * 5, 20)
    assert sorted(said(call)["data"]["todo"] for call in receiver.calls) == todos


@pytest.mark.setting(REDIS_URL="unix:///nowhere/valkey.sock")
def test_without_a_queue_work_comes_in_all_the_same(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    assert world.deliver(world.issue(1)).status_code == 202
    assert states(world) == ["pending"]
    assert world.claim()
