"""A hook that keeps failing stands where its operator sees it, until it works again or is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import update

from switchboard.access import endpoints
from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.models import Endpoint
from switchboard.notify import hooks
from switchboard.notify.sweep import sweep
from tests.notify.bells import come_due, ring_due, set_hook
from tests.standins.receiver import Receiver
from tests.web.conftest import Human, ana
from tests.world import World

__all__ = ["ana"]  # a fixture


def standing(world: World) -> list[dict[str, Any]]:
    sweep(world.lib)
    found: list[dict[str, Any]] = world.operator("GET", "/faults?state=standing").json["faults"]
    return found


def fail(world: World, receiver: Receiver, times: int = 3) -> None:
    """Let one bell be tried so often in vain."""
    receiver.program([500] * times)
    world.deliver(world.issue(world.sent + 1))
    for _ in range(times):
        come_due(world)
        ring_due(world)


@pytest.fixture
def failing(world: World, receiver: Receiver) -> World:
    assert world.endpoint and world.source
    set_hook(world, receiver.url)
    fail(world, receiver)
    return world


def test_a_hook_that_keeps_failing_is_a_fault_once(failing: World, receiver: Receiver) -> None:
    [fault] = standing(failing)
    assert (fault["code"], fault["about_id"]) == ("hook_failing", failing.endpoint.endpoint["id"])
    assert fault["about"] == "Hook of endpoint fixer"
    assert "3 calls in a row failed, the newest with: server 500" in fault["detail"]
    assert receiver.url not in fault["detail"]  # it may be a secret
    fail(failing, receiver)
    assert [each["id"] for each in standing(failing)] == [fault["id"]]


def test_two_failures_are_none_yet(world: World, receiver: Receiver) -> None:
    assert world.endpoint and world.source
    set_hook(world, receiver.url)
    fail(world, receiver, 2)
    assert standing(world) == []


def _works(world: World, receiver: Receiver) -> None:
    world.deliver(world.issue(9))
    come_due(world)
    ring_due(world)


def _expires(world: World, receiver: Receiver) -> None:
    with world.lib.db.write() as session:
        session.execute(update(Endpoint).values(expires_at=clock.ago(1)))


ENDS: dict[str, Callable[[World, Receiver], Any]] = {
    "it takes a call": _works,
    "it takes a test": lambda world, _: hooks.test(world.lib, Machine(), "fixer"),
    "it is removed": lambda world, _: hooks.remove(world.lib, Machine(), "fixer"),
    "it is set anew": lambda world, receiver: set_hook(world, receiver.url + "/new"),
    "its endpoint is revoked": lambda world, _: endpoints.revoke(world.lib, Machine(), "fixer"),
    "its endpoint expires": _expires,
}


@pytest.mark.parametrize("how", ENDS)
def test_it_is_over_when(failing: World, receiver: Receiver, how: str) -> None:
    assert standing(failing)
    ENDS[how](failing, receiver)
    assert standing(failing) == []


def test_it_stands_under_needs_you_and_leads_to_the_endpoint(ana: Human, failing: World) -> None:
    sweep(failing.lib)
    page = ana.read("/")
    assert page.count("Hook of endpoint fixer") == 1
    assert f"/settings/endpoints#{failing.endpoint.endpoint['id']}" in page
    hooks.remove(failing.lib, Machine(), "fixer")
    assert "Hook of endpoint fixer" not in ana.read("/")
