"""A source's day by the hour."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, select, update

from switchboard.inbound import activity
from switchboard.lib import clock, ids
from switchboard.models import Delivery, DeliveryHour
from tests.world import World


def hours_of(world: World) -> list[activity.Hour]:
    own = world.source.source["id"]
    return activity.of_sources(world.lib, [own])[own]


def move_back(world: World, hours: int) -> None:
    """Let everything that is recorded have come so many hours earlier."""
    with world.lib.db.write() as session:
        for row in session.scalars(select(Delivery)):
            earlier = row.received_at - timedelta(hours=hours)
            made = ids.first_at("delivery", earlier)[:-6] + row.id[-6:]
            session.execute(
                update(Delivery).where(Delivery.id == row.id).values(id=made, received_at=earlier)
            )


def test_the_running_hour_is_counted_as_it_is_asked_for(world: World) -> None:
    world.deliver(world.issue(1))
    world.deliver(world.issue(2), headers={"X-Hub-Signature-256": "sha256=00"})
    last = hours_of(world)[-1]
    assert (last.accepted, last.refused, last.failed) == (1, 1, 0)
    assert len(hours_of(world)) == 24


def test_an_hour_that_is_over_keeps_its_count_when_its_deliveries_go(world: World) -> None:
    assert world.source
    for _ in range(70):
        world.deliver(world.issue(1), headers={"X-Hub-Signature-256": "sha256=00"})
    move_back(world, 2)
    activity.tally(world.lib)
    with world.lib.db.write() as session:
        session.execute(delete(Delivery))
    assert sum(hour.refused for hour in hours_of(world)) == 70


def test_counting_twice_changes_nothing(world: World) -> None:
    world.deliver(world.issue(1), headers={"X-Hub-Signature-256": "sha256=00"})
    move_back(world, 2)
    activity.tally(world.lib)
    once = hours_of(world)
    activity.tally(world.lib)
    assert hours_of(world) == once and sum(hour.refused for hour in once) == 1


def test_hours_that_nobody_is_shown_are_forgotten(world: World) -> None:
    long_ago = clock.ago(5 * 86_400)
    with world.lib.db.write() as session:
        session.add(DeliveryHour(source_id="sr_1", hour=long_ago, accepted=1, refused=0, failed=0))
    activity.tally(world.lib)
    with world.lib.db.read() as session:
        assert session.scalars(select(DeliveryHour)).all() == []
