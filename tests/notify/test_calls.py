"""A bell: made with its todo, signed, tried at most three times, kept no longer than it is needed."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from switchboard.access import accounts, endpoints
from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.notify.sweep import sweep
from switchboard.todos import leases
from tests.notify.bells import (
    calls,
    change,
    come_due,
    health,
    ring_due,
    said,
    set_hook,
    verified,
    verifies,
)
from tests.standins.receiver import WORDS, Receiver
from tests.test_canary import assert_clean, stored
from tests.world import World

HOSTILE = "\x1b[2J**now** [click](https://evil.example) <!channel> @all\r\n# `rm -rf` \u202etxt.exe"


def test_a_new_todo_rings_once_and_says_what_it_is(world: World, receiver: Receiver) -> None:
    secret = set_hook(world, receiver.url)
    assert world.source
    todo = world.deliver(world.issue(7, "The rocket does not start")).json["todos"][0]
    ring_due(world)
    [call] = receiver.calls
    body = verified(call, secret)
    assert body["data"] == {
        "todo": todo["id"],
        "endpoint": world.endpoint.endpoint["slug"],
        "queue": "default",
        "kind": "issues.opened",
        "source": "octo",
        "reply_to": "forge_comment",
        "summary": "The rocket does not start",
    }
    assert body["type"] == "todo.ready" and clock.moment(body["timestamp"]) <= clock.now()
    assert call.headers["content-type"] == "application/json"
    [row] = calls(world)
    assert (row.id, row.state, row.attempts, row.todo_id) == (call.id, "sent", 1, todo["id"])
    assert health(world)["health"] == "works" and health(world)["failures"] == 0
    ring_due(world)
    assert len(receiver.calls) == 1


def test_an_endpoint_without_a_hook_leaves_no_row(world: World, receiver: Receiver) -> None:
    other = world.vend("other")
    assert world.source
    set_hook(world, receiver.url, other)
    world.deliver(world.issue(1))
    assert calls(world) == []


def test_what_comes_of_a_repeat_rings_no_second_time(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    for _ in range(2):
        world.deliver(world.issue(1), id="one")
    assert len(calls(world)) == 1


def test_three_attempts_carry_one_id_and_the_same_bytes(world: World, receiver: Receiver) -> None:
    secret = set_hook(world, receiver.url)
    receiver.program(500)
    world.deliver(world.issue(1))
    waits = []
    for _ in range(4):
        ring_due(world)
        row = calls(world)[0]
        waits.append((row.next_at - clock.now()).total_seconds())
        come_due(world)
    assert len(receiver.calls) == 3
    assert len({call.id for call in receiver.calls}) == 1
    assert len({call.body for call in receiver.calls}) == 1
    assert all(verifies(call, secret) for call in receiver.calls)
    assert 3 < waits[0] <= 5 and 28 < waits[1] <= 30
    row = calls(world)[0]
    assert (row.state, row.attempts, row.error_class, row.error_code) == (
        "failed", 3, "server", "500",
    )  # fmt: skip
    assert row.finished_at is not None
    found = health(world)
    assert (found["health"], found["failures"]) == ("fails", 3)
    assert (found["last_failure"]["class"], found["last_failure"]["code"]) == ("server", "500")


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (301, ("invalid", "redirect")),
        (307, ("invalid", "redirect")),
        (400, ("invalid", "400")),
        (401, ("auth", "401")),
        (403, ("forbidden", "403")),
        (404, ("not_found", "404")),
        (410, ("not_found", "410")),
        (429, ("rate_limited", "429")),
        (503, ("server", "503")),
    ],
)
def test_what_is_no_2xx_is_a_failure_and_its_words_are_not_kept(
    world: World, receiver: Receiver, answer: int, failure: tuple[str, str]
) -> None:
    set_hook(world, receiver.url)
    receiver.program(answer)
    world.deliver(world.issue(1))
    ring_due(world)
    row = calls(world)[0]
    assert (row.state, row.error_class, row.error_code) == ("pending", *failure)
    assert [call.path for call in receiver.calls] == ["/bell"]  # no redirect was followed
    assert_clean("the database", stored(world), {"receiver's words": WORDS.decode()})
    receiver.program(200)
    come_due(world)
    ring_due(world)  # 410 Gone ended nothing
    assert calls(world)[0].state == "sent"
    assert health(world)["health"] == "works"


def test_a_receiver_that_is_down_is_called_once_it_is_up(world: World) -> None:
    with Receiver() as gone:
        pass
    set_hook(world, gone.url)
    world.deliver(world.issue(1))
    ring_due(world)
    row = calls(world)[0]
    assert (row.state, row.error_class, row.error_code) == ("pending", "network", "connect")
    with Receiver(gone.port) as back:
        come_due(world)
        ring_due(world)
        assert [call.id for call in back.calls] == [row.id]
    assert (calls(world)[0].state, health(world)["failures"]) == ("sent", 0)
    assert world.claim()["id"] == row.todo_id  # and had it stayed down, the todo would be there


def test_a_hostile_title_stays_one_line_of_data(world: World, receiver: Receiver) -> None:
    secret = set_hook(world, receiver.url)
    world.deliver(world.issue(1, HOSTILE + "x" * 300))
    ring_due(world)
    summary = verified(receiver.calls[0], secret)["data"]["summary"]
    assert len(summary) <= 200 and summary.isprintable()
    assert not set(summary) & set("\\`*_~[]<>|#@&!$")
    assert "://" not in summary and "now" in summary and "click" in summary


def test_a_bell_nobody_needs_any_more_is_not_rung(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    world.claim()
    ring_due(world)
    assert (receiver.calls, calls(world)) == ([], [])


def test_an_endpoint_that_is_over_is_not_called(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    endpoints.revoke(world.lib, Machine(), world.endpoint.endpoint["id"])
    ring_due(world)
    assert (receiver.calls, calls(world)) == ([], [])


def test_who_may_no_longer_work_is_not_called(world: World, receiver: Receiver) -> None:
    """Neither an account's agent once it is disabled, nor a team's once its voucher is no admin of it."""
    assert world.source
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    sources = []
    for name, owner in (("hers", {"account": "ana"}), ("theirs", {"team": "core"})):
        made = world.operator("POST", "/endpoints", {"name": name, "owner": owner})
        world.operator("PUT", f"/endpoints/{made.json['slug']}/hook", {"url": receiver.url})
        sources.append(world.add_source(name, owner=next(iter(owner.values())), to=[name]))
    for source in sources:
        world.deliver(world.issue(1), source=source)
    ring_due(world)
    assert len(receiver.calls) == 2
    accounts.add_member(world.lib, "core", "ana", "member")
    for source in sources:
        world.deliver(world.issue(2), source=source)
    ring_due(world)
    assert len(receiver.calls) == 3
    accounts.disable(world.lib, "ana")
    world.deliver(world.issue(3), source=sources[0])
    ring_due(world)
    assert len(receiver.calls) == 3


def test_a_call_waits_for_its_time(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    change(world, next_at=clock.ahead(5))
    ring_due(world)
    assert receiver.calls == []


def test_one_ring_makes_all_that_is_due_of_a_hook_in_order(
    world: World, receiver: Receiver
) -> None:
    set_hook(world, receiver.url)
    todos = [world.deliver(world.issue(n)).json["todos"][0]["id"] for n in range(5)]
    ring_due(world)
    assert [said(call)["data"]["todo"] for call in receiver.calls] == todos
    assert {row.state for row in calls(world)} == {"sent"}


def test_a_hook_that_fails_is_not_called_for_the_rest_at_once(
    world: World, receiver: Receiver
) -> None:
    set_hook(world, receiver.url)
    for number in range(5):
        world.deliver(world.issue(number))
    receiver.program(500)
    ring_due(world)
    assert len(receiver.calls) == 1
    receiver.program(204)
    ring_due(world)
    assert len(receiver.calls) == 5  # the first one waits for its second attempt


# work that comes back


@pytest.mark.setting(RETRY_SECONDS="60")
def test_a_failed_attempt_rings_again_when_its_pause_is_over(
    world: World, receiver: Receiver
) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    ring_due(world)
    todo = world.claim()
    world.agent("POST", f"/todos/{todo['id']}/fail")
    ring_due(world)
    assert len(receiver.calls) == 1
    come_due(world)
    ring_due(world)
    first, again = receiver.calls
    assert first.id != again.id
    assert said(again)["data"]["todo"] == todo["id"]


@pytest.mark.setting(RETRY_SECONDS="0")
def test_a_lost_lease_rings_again(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    ring_due(world)
    todo = world.agent("POST", "/todos/claim-next", {"lease_seconds": 1}).json
    from switchboard.models import Todo

    with world.lib.db.write() as session:
        session.query(Todo).update({"lease_expires_at": clock.ago(1)})
    assert leases.reap(world.lib) == 1
    ring_due(world)
    assert [said(call)["data"]["todo"] for call in receiver.calls] == [todo["id"]] * 2


def test_what_ends_or_is_put_back_by_its_agent_rings_no_more(
    world: World, receiver: Receiver
) -> None:
    set_hook(world, receiver.url)
    for number in range(2):
        world.deliver(world.issue(number))
    ring_due(world)
    first, second = world.claim(), world.claim()
    world.agent("POST", f"/todos/{first['id']}/fail", {"retry": False})
    world.agent("POST", f"/todos/{second['id']}/release")
    ring_due(world)
    assert len(receiver.calls) == 2


def test_a_human_who_retries_a_todo_rings(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    ring_due(world)
    todo = world.claim()
    world.agent("POST", f"/todos/{todo['id']}/fail", {"retry": False})
    assert world.operator("POST", f"/todos/{todo['id']}/retry").status_code == 200
    ring_due(world)
    assert len(receiver.calls) == 2


# where it may go


@pytest.mark.setting(ALLOW_CIDRS="")
def test_an_address_inside_is_refused(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    ring_due(world)
    row = calls(world)[0]
    assert (row.error_class, row.error_code) == ("network", "blocked_address")
    assert receiver.calls == []


def test_a_rebinding_name_is_refused_at_the_second_call(
    world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [["127.0.0.1"], ["10.0.0.1"]]
    real = socket.getaddrinfo

    def resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        if host != "rebind.test":
            return real(host, *args, **kwargs)
        return [each for ip in answers.pop(0) for each in real(ip, *args, **kwargs)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    set_hook(world, f"http://rebind.test:{receiver.port}/bell")
    world.deliver(world.issue(1))
    ring_due(world)
    assert len(receiver.calls) == 1  # one lookup, and what was checked is what was called
    world.deliver(world.issue(2))
    ring_due(world)
    assert len(receiver.calls) == 1
    assert calls(world)[1].error_code == "blocked_address"


# the sweep


def test_a_sweep_takes_back_what_was_begun_and_never_finished(
    world: World, receiver: Receiver
) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    change(world, claimed_at=clock.ago(20), attempts=1)
    assert (sweep(world.lib).taken_back, calls(world)[0].claimed_at is None) == (0, False)
    change(world, claimed_at=clock.ago(31))
    found = sweep(world.lib)
    assert (found.taken_back, found.rung) == (1, 1)
    ring_due(world)
    assert (calls(world)[0].state, calls(world)[0].attempts) == ("sent", 2)


def test_what_was_lost_at_its_third_attempt_is_given_up(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    change(world, claimed_at=clock.ago(31), attempts=3)
    found = sweep(world.lib)
    assert (found.lost, found.taken_back) == (1, 0)
    row = calls(world)[0]
    assert (row.state, row.error_code) == ("failed", "worker_lost")


def test_a_bell_of_an_hour_ago_has_expired(world: World, receiver: Receiver) -> None:
    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    change(world, created_at=clock.ago(3601))
    assert sweep(world.lib).expired == 1
    ring_due(world)
    row = calls(world)[0]
    assert (row.state, row.error_code, receiver.calls) == ("failed", "expired", [])


def test_a_late_outcome_of_an_attempt_taken_back_changes_nothing(
    world: World, receiver: Receiver
) -> None:
    from switchboard.notify import call_store

    set_hook(world, receiver.url)
    world.deliver(world.issue(1))
    call_id = calls(world)[0].id
    world.lib.express.commit([call_store.claim_write(call_id, 0, clock.ago(31))])
    sweep(world.lib)
    world.lib.express.commit([call_store.claim_write(call_id, 1, clock.now())])
    late = call_store.failed_write(call_id, 1, ("network", "timeout"), clock.now())
    world.lib.express.commit([late])
    assert calls(world)[0].state == "pending"


def test_finished_calls_go_with_the_retention(world: World, receiver: Receiver) -> None:
    from switchboard.notify.sweep import let_go

    set_hook(world, receiver.url)
    for number in range(3):
        world.deliver(world.issue(number))
    ring_due(world)
    world.deliver(world.issue(9))
    let_go(world.lib, clock.ago(60), 2)
    assert len(calls(world)) == 4
    let_go(world.lib, clock.ahead(60), 2)
    assert [row.state for row in calls(world)] == ["pending"]
