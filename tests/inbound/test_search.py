"""Looking for deliveries: a text in a row's own words, and a stretch of time."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from switchboard.inbound import log_store
from switchboard.lib import clock
from switchboard.models import Delivery
from tests.world import World


def found(world: World, query: str) -> list[str]:
    response = world.operator("GET", f"/deliveries?limit=200&{query}")
    assert response.status_code == 200, response.data
    return [row["subject"] for row in response.json["deliveries"]]


def test_a_text_is_found_in_subject_reason_event_and_id(world: World) -> None:
    world.deliver(world.issue(1, "The cellar is flooded"), id="first")
    world.deliver(world.issue(2, "All is well"), id="second-100%")
    world.deliver(world.issue(3, "Forged"), headers={"X-Hub-Signature-256": "sha256=00"})
    assert found(world, "text=CELLAR") == ["The cellar is flooded"]
    assert found(world, "text=second-100%25") == ["All is well"]
    assert len(found(world, "text=does+not+match")) == 1
    assert len(found(world, "text=issues.opened")) == 2


def test_wildcards_of_sql_are_plain_characters(world: World) -> None:
    world.deliver(world.issue(1, "Nothing special"))
    assert found(world, "text=%25") == [] and found(world, "text=_othing") == []


def test_text_and_status_hold_together(world: World) -> None:
    world.deliver(world.issue(1, "Cellar"))
    assert found(world, "text=cellar&status=refused") == []


def test_a_text_beyond_the_newest_rows_is_found_page_by_page(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_store, "TEXT_WINDOW", 3)
    for number in range(1, 9):
        world.deliver(world.issue(number, "needle" if number == 1 else "hay"))
    after, pages, seen = "", 0, []
    while after is not None:
        page = world.operator("GET", f"/deliveries?text=needle&after={after}").json
        seen += [row["subject"] for row in page["deliveries"]]
        after, pages = page["next"], pages + 1
    assert seen == ["needle"] and pages == 3


def test_a_stretch_of_time_has_both_its_ends(world: World) -> None:
    for number in range(1, 4):
        world.deliver(world.issue(number, f"day {number}"))
    now = clock.now()
    rows = sorted(row["id"] for row in world.log())
    with world.lib.db.write() as session:
        session.execute(
            update(Delivery).where(Delivery.id == rows[0]).values(received_at=clock.ago(7200))
        )
    assert found(world, "since=1h") == ["day 3", "day 2"]
    assert found(world, f"until={(now).strftime('%Y-%m-%dT%H:%M:%SZ')}") in ([], ["day 1"])
    assert found(world, "since=2h&until=2000-01-01") == []


@pytest.mark.parametrize("bad", ["since=yesterday", "until=9999-99-99", "text=" + "x" * 201])
def test_what_cannot_be_read_is_named(world: World, bad: str) -> None:
    response = world.operator("GET", f"/deliveries?{bad}")
    assert response.status_code == 422
    assert response.json["field"] == bad.partition("=")[0]
