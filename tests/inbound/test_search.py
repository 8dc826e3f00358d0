"""Looking for deliveries: a text in a row's own words, and a stretch of time."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from switchboard.inbound import log_store
from switchboard.lib import clock
from switchboard.models import Delivery
from tests.inbound import bulk
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


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_text_is_sought_in_so_many_rows_of_all_sources_together(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_store, "TEXT_WINDOW", 100)
    assert world.operator_token
    for number in range(20):
        bulk.record(world, world.add_source(f"s{number}").source["id"], "accepted", 110)
    assert bulk.rows_read(world, lambda: found(world, "text=needle")) < 1000  # not 20 times 100


def test_a_busy_source_is_not_cut_short_by_quiet_ones(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_store, "TEXT_WINDOW", 20)
    world.deliver(world.issue(1, "needle"))
    bulk.record(world, world.source.source["id"], "accepted", 18)
    for number in range(10):
        world.add_source(f"quiet{number}")
    assert found(world, "text=needle") == ["needle"]


def test_a_quiet_source_is_sought_beyond_what_others_were_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_store, "TEXT_WINDOW", 20)
    world.deliver(world.issue(1, "needle"))
    bulk.record(world, world.add_source("busy").source["id"], "accepted", 60)
    assert found(world, "source=octo&text=needle") == ["needle"]


@pytest.mark.parametrize("query", ["status=refused", "status=failed", "code=bad_signature"])
def test_a_quiet_sources_refusals_are_found_among_everybodys(world: World, query: str) -> None:
    for name in ("busy", "quiet"):
        world.add_source(name)
    busy, quiet = (each["id"] for each in sources(world))
    bulk.record(world, quiet, "failed" if "failed" in query else "refused", 3)
    for status in ("refused", "failed"):
        bulk.record(world, busy, status, 1500)
    read = bulk.rows_read(world, lambda: found(world, f"source=quiet&{query}"))
    assert len(found(world, f"source=quiet&{query}")) == 3
    assert read < 200


def test_refusals_of_unknown_addresses_are_found_among_everybodys(world: World) -> None:
    bulk.record(world, None, "refused", 1500)
    bulk.record(world, world.source.source["id"], "refused", 1500)
    read = bulk.rows_read(world, lambda: world.operator("GET", "/deliveries?kind=unknown&limit=5"))
    assert read < 200


def test_refusals_of_very_many_sources_are_read_together(world: World) -> None:
    world.deliver(world.issue(1, "Forged"), headers={"X-Hub-Signature-256": "sha256=00"})
    bulk.record(world, None, "refused", 300)
    for number in range(log_store.MAX_BRANCHES + 1):
        world.add_source(f"s{number}")
    assert len(found(world, "status=refused")) == 200
    assert len(found(world, "status=refused&source=octo")) == 1


def sources(world: World) -> list[dict[str, str]]:
    return sorted(
        world.operator("GET", "/sources?limit=200").json["sources"], key=lambda each: each["name"]
    )


@pytest.mark.parametrize(("code", "dropped"), [("rule", True), ("accepted", False)])
def test_what_a_rule_dropped_is_found_by_its_code(world: World, code: str, dropped: bool) -> None:
    own = world.source.source["id"]
    rules = [{"when": '.issue.title == "Noise"', "drop": True}]
    assert world.operator("PATCH", f"/sources/{own}", {"rules": rules}).status_code == 200
    world.deliver(world.issue(1, "Noise"))
    world.deliver(world.issue(2, "Signal"))
    assert found(world, f"code={code}") == (["Noise"] if dropped else ["Signal"])
