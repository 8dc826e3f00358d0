"""Old deliveries go with their bodies and keys; what unfinished work needs stays until it ends."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, update

from switchboard.faults import book as faults
from switchboard.faults.book import Condition
from switchboard.inbound import retention
from switchboard.lib import clock, ids
from switchboard.models import Delivery, DeliveryBody, DeliveryKey, Fault, Todo
from tests.world import World


def age(world: World, delivery_id: str, days: float) -> str:
    """Give a delivery an id as if it had come so many days ago."""
    made = clock.now() - timedelta(days=days)
    older = ids.first_at("delivery", made)[:13] + delivery_id[13:]
    with world.lib.db.write() as session:
        row = session.get(Delivery, delivery_id)
        assert row is not None
        values = {c.name: getattr(row, c.name) for c in Delivery.__table__.c} | {"id": older}
        session.add(Delivery(**values))
        session.flush()
        for table in (DeliveryBody, DeliveryKey, Todo):
            moved = update(table).where(table.delivery_id == delivery_id)
            session.execute(moved.values(delivery_id=older))
        session.delete(row)
    return older


def deliver(world: World, number: int) -> str:
    return world.deliver(world.issue(number)).json["delivery"]


def count(world: World, table: type) -> int:
    with world.lib.db.read() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def finish(world: World) -> None:
    todo = world.claim()
    assert world.agent("POST", f"/todos/{todo['id']}/complete").status_code == 200


def test_a_delivery_past_the_retention_goes_with_body_and_keys(world: World) -> None:
    assert world.source
    age(world, deliver(world, 1), 31)
    finish(world)
    assert retention.sweep(world.lib) == 1
    assert [count(world, table) for table in (Delivery, DeliveryBody, DeliveryKey)] == [0, 0, 0]


def test_its_todo_stays_without_its_payload(world: World) -> None:
    assert world.source
    age(world, deliver(world, 1), 31)
    finish(world)
    retention.sweep(world.lib)
    [todo] = world.agent("GET", "/todos").json["todos"]
    assert (todo["state"], todo["payload"]) == ("done", None)


def test_a_younger_delivery_stays(world: World) -> None:
    assert world.source
    age(world, deliver(world, 1), 29)
    finish(world)
    assert retention.sweep(world.lib) == 0


def test_a_delivery_that_unfinished_work_needs_stays_until_it_ends(world: World) -> None:
    assert world.source
    age(world, deliver(world, 1), 31)
    before = retention.sweep(world.lib)
    finish(world)
    assert (before, retention.sweep(world.lib)) == (0, 1)


def test_an_old_delivery_beyond_unfinished_ones_still_goes(world: World) -> None:
    assert world.source
    for number in (1, 2, 3):
        age(world, deliver(world, number), 40 - number)
    finish(world)
    assert retention.sweep(world.lib) == 1


def cleared(world: World, about_id: str, days: float) -> None:
    """A fault that was raised long ago and cleared so many days ago."""
    given = Condition("source_paused", about_id, "Source x", "Why.", world.account["id"], None)
    with world.lib.db.write() as session:
        faults.raise_in(session, given)
        faults.clear_in(session, given.code, about_id)
        times = {"raised_at": clock.ago(90 * 86_400), "cleared_at": clock.ago(days * 86_400)}
        session.execute(update(Fault).where(Fault.about_id == about_id).values(times))


def about_ids(world: World) -> set[str]:
    with world.lib.db.read() as session:
        return set(session.scalars(select(Fault.about_id)))


def test_a_fault_goes_that_was_cleared_before_the_retention(world: World) -> None:
    cleared(world, "old", 31)
    cleared(world, "young", 29)
    retention.sweep(world.lib)
    assert about_ids(world) == {"young"}


def test_a_fault_that_stands_is_never_too_old(world: World) -> None:
    cleared(world, "stands", 31)
    with world.lib.db.write() as session:
        session.execute(update(Fault).values(cleared_at=None))
    retention.sweep(world.lib)
    assert about_ids(world) == {"stands"}


def test_old_faults_go_in_small_steps(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    for number in range(5):
        cleared(world, f"n{number}", 40)
    before = world.lib.db.writes
    retention.sweep(world.lib)
    assert about_ids(world) == set() and world.lib.db.writes - before == 3 + 1
