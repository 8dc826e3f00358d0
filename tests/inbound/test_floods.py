"""Floods: refusals fold into one row a minute, and a lane has its rate."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from threading import Event
from urllib.parse import urlsplit

import pytest
from sqlalchemy import select

from switchboard.errors import TooLarge, Unauthenticated, Unavailable
from switchboard.inbound import ack_store, flood_store, floods, record
from switchboard.inbound.draft import Draft, Incoming
from switchboard.inbound.floods import Floods
from switchboard.inbound.log_store import NOT_ACCEPTED
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Delivery
from switchboard.models.base import table_of
from tests.inbound import bulk
from tests.inbound.pausing import FORGED, faults, source
from tests.servers import serve, wait_until
from tests.world import World


def test_more_than_60_refusals_a_minute_fold_into_one_row_with_a_count(world: World) -> None:
    for number in range(150):
        assert world.deliver(world.issue(number), headers=FORGED).status_code == 401
    rows = world.log()
    assert len(rows) <= 2 * 61  # the minute may turn on the way
    assert sum(row["count"] for row in rows) == 150


def test_requests_to_unknown_tokens_fold_together(world: World) -> None:
    assert world.operator_token
    for number in range(150):
        assert world.client.post(f"/hooks/unknown-{number}").status_code == 404
    rows = world.log()
    assert len(rows) <= 2 * 61
    assert sum(row["count"] for row in rows) == 150


@pytest.mark.parametrize("known", [True, False])
def test_each_answer_of_a_flood_is_counted_under_its_own_code(world: World, known: bool) -> None:
    assert world.operator_token
    source_id = world.source.source["id"] if known else None
    answers = [
        Unauthenticated("Forged.", "bad_signature"),
        Unauthenticated("Unsigned.", "missing_signature"),
        TooLarge("Too long."),
        Unavailable("Away.", retry_after=1),
    ]
    for number in range(200):
        draft = Draft(Incoming(None, None, {}, b"", "192.0.2.1"))
        if source_id:
            draft.source = ack_store.source_by_id(world.lib.express, source_id, clock.now())
        record.refuse(world.lib, draft, answers[0 if number < 120 else number % 4])
    rows = world.log()
    counts: dict[tuple[int, str], int] = {}
    for row in rows:
        answer = row["http_status"], row["code"]
        counts[answer] = counts.get(answer, 0) + row["count"]
    assert sorted(counts.values()) == [20, 20, 20, 140]
    assert len(rows) <= 2 * (60 + len(answers))  # the minute may turn on the way


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_whether_a_source_is_flooded_is_asked_of_its_refusals_alone(world: World) -> None:
    source_id = world.source.source["id"]
    bulk.record(world, source_id, "accepted", 1500)
    bulk.record(world, world.add_source("other").source["id"], "refused", 1500)
    bulk.record(world, source_id, "refused", 1)
    mine = select(table_of(Delivery)).where(Delivery.source_id == source_id, NOT_ACCEPTED)
    with world.lib.db.read() as session:
        [row] = session.execute(mine).mappings()
    write = flood_store.row_write({**row, "id": ids.new("delivery")}, "", floods.FOLD_AFTER)
    ready = write.statement.on(world.lib.db.engine.dialect)
    assert bulk.rows_of(world, ready.sql, ready.values(write.values)) < 100


def test_a_flood_at_one_source_leaves_the_others_rows_alone(world: World) -> None:
    for number in range(70):
        world.deliver(world.issue(number), headers=FORGED)
    other = world.add_source("other")
    world.deliver(world.issue(1), source=other, headers=FORGED)
    [row] = [row for row in world.log() if row["source"] == "other"]
    assert row["count"] == 1


def test_a_flood_does_not_stop_what_is_signed(world: World) -> None:
    for number in range(70):
        world.deliver(world.issue(number), headers=FORGED)
    assert world.deliver(world.issue(1)).status_code == 202
    assert world.log()[0]["status"] == "accepted"


@pytest.mark.setting(SOURCE_RATE="0.05:3")
def test_a_source_faster_than_its_lane_is_asked_to_wait(world: World) -> None:
    answers = [world.deliver(world.issue(number)) for number in range(5)]
    assert [answer.status_code for answer in answers] == [202, 202, 202, 429, 429]
    assert answers[3].json["code"] == "rate_limited"
    assert 15 <= int(answers[3].headers["Retry-After"]) <= 20
    assert answers[3].json["retry_after"] == int(answers[3].headers["Retry-After"])
    assert world.log()[0]["code"] == "rate_limited"


@pytest.mark.setting(SOURCE_RATE="0.05:5")
def test_a_repeat_is_charged_once(world: World) -> None:
    answers = [world.deliver(world.issue(1), id="one").status_code for _ in range(6)]
    assert answers == [202, 200, 200, 200, 200, 429]


@pytest.mark.setting(SOURCE_RATE="0.05:1")
def test_a_stranger_cannot_spend_a_sources_rate(world: World) -> None:
    for number in range(5):
        assert world.deliver(world.issue(number), headers=FORGED).status_code == 401
    assert world.deliver(world.issue(1)).status_code == 202


@pytest.mark.setting(SOURCE_RATE="0.05:1")
def test_one_sources_rate_is_not_anothers(world: World) -> None:
    first, other = world.source, world.add_source("other")
    assert world.deliver(world.issue(1), source=first).status_code == 202
    assert world.deliver(world.issue(2), source=first).status_code == 429
    assert world.deliver(world.issue(1), source=other).status_code == 202


@pytest.mark.setting(SOURCE_RATE="2:1")
def test_after_its_wait_a_delivery_is_taken_under_the_same_id(world: World) -> None:
    assert world.deliver(world.issue(1), id="one").status_code == 202
    assert world.deliver(world.issue(2), id="two").status_code == 429
    with world.lib.valkey.client as client:
        client.flushall()
    assert world.deliver(world.issue(2), id="two").status_code == 202


# ── a flood at full speed ────────────────────────────────────────────────────────────────────────


def test_a_thousand_forged_requests_fold_raise_one_fault_and_pause_nothing(
    world: World, environ: dict[str, str]
) -> None:
    path = urlsplit(world.source.source["ingest_url"]).path
    with serve(environ) as server, ThreadPoolExecutor(16) as pool:
        calls = [pool.submit(server.call, "POST", path, b"{}", FORGED) for _ in range(1000)]
        assert {call.result().status for call in calls} == {401}
        found = faults(world)
        assert [fault["code"] for fault in found] == ["source_refusing"]
        assert world.deliver(world.issue(1)).status_code == 202
    rows = world.log()
    assert sum(row["count"] for row in rows if row["code"] == "bad_signature") == 1000
    # the minute may turn on the way, and those under way together do not see each other
    assert len(rows) <= 2 * (61 + 16) + 1
    assert source(world)["state"] == "active"


@pytest.mark.setting(SOURCE_RATE="0.05:1")
def test_a_flood_of_what_is_signed_folds_apart_from_what_is_forged(world: World) -> None:
    for number in range(70):
        world.deliver(world.issue(number))
        world.deliver(world.issue(number), headers=FORGED)
    rows = world.log()
    assert sum(row["count"] for row in rows) == 140
    for code, sent in (("rate_limited", 69), ("bad_signature", 70)):
        mine = [row for row in rows if row["code"] == code]
        assert sum(row["count"] for row in mine) == sent
        assert max(row["count"] for row in mine) > 1


def test_nothing_is_lost_on_two_processes_at_the_turn_of_a_minute(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two plumbings are two processes as far as floods go: what each knows, the other does not."""
    assert world.source
    other = Plumbing(world.lib.settings)
    source_id, sent = world.source.source["id"], count()
    turn = clock.now().replace(second=0, microsecond=0)  # ids go on telling the true time
    early, late = turn - timedelta(seconds=0.1), turn + timedelta(seconds=0.1)
    monkeypatch.setattr(floods.clock, "now", lambda: late if next(sent) > 600 else early)

    def refuse(number: int) -> None:
        lib = (world.lib, other)[number % 2]
        draft = Draft(Incoming(None, None, {}, b"", "192.0.2.1"))
        draft.source = ack_store.source_by_id(lib.express, source_id, early)
        record.refuse(lib, draft, Unauthenticated("Forged.", "bad_signature"))

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(refuse, range(400)))
    floods.settle(other)
    other.db.dispose()
    monkeypatch.undo()
    rows = world.log()
    assert sum(row["count"] for row in rows) == 400
    assert len([row for row in rows if row["count"] > 1]) in (1, 2)


def test_the_count_of_a_flood_outlives_storage_that_was_away_a_moment() -> None:
    flood, back, written = Floods(), Event(), list[int]()

    def fold(number: int) -> None:
        if not back.is_set():
            raise Unavailable("Away.", retry_after=1)
        written.append(number)

    for _ in range(3):
        flood.add("key", fold)
        wait_until(lambda: not flood_threads())
    with pytest.raises(Unavailable):
        flood.settle()
    back.set()
    flood.settle()
    assert written == [3]


def test_no_request_of_a_flood_waits_for_its_row() -> None:
    flood, go_on, written = Floods(), Event(), list[int]()

    def slow(number: int) -> None:
        go_on.wait(10)
        written.append(number)

    for _ in range(100):
        flood.add("key", slow)
    assert written == []
    go_on.set()
    wait_until(lambda: not flood_threads())
    assert sum(written) == 100


def test_what_was_counted_is_written_when_the_process_ends(
    world: World, environ: dict[str, str]
) -> None:
    path = urlsplit(world.source.source["ingest_url"]).path
    assert world.operator_token
    with serve(environ, processes=1) as server, ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(server.call, "POST", path, b"{}") for _ in range(200)]
        assert {call.result().status for call in calls} == {401}
    assert sum(row["count"] for row in world.log()) == 200


def flood_threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name == "floods"]
