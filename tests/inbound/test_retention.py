"""Old deliveries go with their bodies and keys; what unfinished work needs stays until it ends."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import func, select, update

from switchboard.inbound import retention
from switchboard.lib import clock, ids
from switchboard.models import Delivery, DeliveryBody, DeliveryKey, Todo
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
