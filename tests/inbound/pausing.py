"""What tests of the pause and of faults say: refuse a source's deliveries, look at it, let time pass."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update

from switchboard.lib import clock
from switchboard.models import Source
from tests.world import World

FORGED = {"X-Hub-Signature-256": "sha256=" + "0" * 64}


def fail(world: World, times: int = 1, **wanted: Any) -> list[int]:
    """Deliver something signed that no source takes, so many times; the answers' statuses.

    Each is one of its own, unless an `id` is given.
    """
    return [world.deliver(_raw(world, wanted), **wanted).status_code for _ in range(times)]


def succeed(world: World, **wanted: Any) -> int:
    """Deliver something that is taken, in the same way; the answer's status."""
    number = 1 if "id" in wanted else world.sent + 2
    return world.deliver(world.issue(number), **wanted).status_code


def _raw(world: World, wanted: dict[str, Any]) -> bytes:
    return b"no JSON" if "id" in wanted else b"no JSON %d" % world.sent


def source(world: World, name: str = "octo") -> dict[str, Any]:
    """A source as its owner sees it."""
    [found] = [
        each
        for each in world.operator("GET", "/sources?limit=200").json["sources"]
        if each["name"] == name
    ]
    return found


def faults(world: World, state: str = "standing") -> list[dict[str, Any]]:
    return world.operator("GET", f"/faults?state={state}").json["faults"]


def probe_is_due(world: World) -> None:
    """Let the time pass until the paused source is tried out."""
    with world.lib.db.write() as session:
        session.execute(update(Source).values(probe_at=clock.ago(1)))
