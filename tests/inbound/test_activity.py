"""A source's day by the hour."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from switchboard.inbound import activity, activity_store, floods
from switchboard.lib import clock, ids
from switchboard.models import Delivery, DeliveryHour
from tests.inbound.pausing import FORGED
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
    floods.settle(world.lib)
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


# ── what it costs ────────────────────────────────────────────────────────────────────────────────


def writes_of_a_tally(world: World) -> int:
    before = world.lib.db.writes
    activity.tally(world.lib)
    return world.lib.db.writes - before


def test_a_box_where_nothing_arrived_writes_nothing(world: World) -> None:
    assert world.source
    assert writes_of_a_tally(world) == 0


def test_hours_are_written_together_and_once(world: World) -> None:
    for hours in (1, 2, 3):
        world.deliver(world.issue(hours), headers=FORGED)
        move_back(world, 1)
    assert [writes_of_a_tally(world) for _ in range(3)] == [1, 0, 0]
    assert sum(hour.refused for hour in hours_of(world)) == 3


def test_an_hour_in_which_only_unknown_addresses_were_called_is_counted_once(world: World) -> None:
    world.client.post("/hooks/nobody")
    move_back(world, 2)
    assert [writes_of_a_tally(world) for _ in range(2)] == [1, 0]


def test_others_may_write_while_an_hour_is_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.deliver(world.issue(1), headers=FORGED)
    move_back(world, 2)
    count, written = activity_store.hour_counts, []

    def counts(*given: Any) -> Any:
        with world.lib.db.write():  # inside a transaction that writes it would be refused
            written.append(1)
        return count(*given)

    monkeypatch.setattr(activity_store, "hour_counts", counts)
    activity.tally(world.lib)
    assert written and sum(hour.refused for hour in hours_of(world)) == 1


def test_what_is_recorded_just_after_its_hour_is_counted_in_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = clock.now().replace(minute=0, second=0, microsecond=0)
    source_id = world.source.source["id"]
    for seconds in (20, 40, 300, 600):
        monkeypatch.setattr(clock, "now", lambda late=seconds: end + timedelta(seconds=late))
        if seconds < 60:
            with world.lib.db.write() as session:
                session.add(taken_up(source_id, end - timedelta(seconds=seconds)))
        activity.tally(world.lib)
        before = activity.of_sources(world.lib, [source_id])[source_id][-2]
        assert (before.start + timedelta(hours=1), before.accepted) == (end, 1 + (seconds > 20))


def taken_up(source_id: str, moment: datetime) -> Delivery:
    """A delivery that came in from that moment on."""
    return Delivery(
        id=ids.first_at("delivery", moment),
        source_id=source_id,
        kind="github",
        status="accepted",
        http_status=202,
        code="accepted",
        reason="Accepted.",
        duration_ms=1,
        bytes=2,
        body_sha256="",
        remote_addr="192.0.2.1",
        verified=True,
        headers={},
        outcome={},
        received_at=moment,
        last_attempt_at=moment,
    )
