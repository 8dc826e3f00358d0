"""A long run of requests that prove nothing pauses no source and raises one fault; a success clears it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from switchboard import create_app
from switchboard.access.principals import Machine
from switchboard.config import read_settings
from switchboard.inbound import floods, health, sample_ids, source_changes
from switchboard.lib import clock
from switchboard.providers import source_kind
from tests.inbound.pausing import FORGED, fail, faults, source, succeed
from tests.world import World


def forge(world: World, times: int) -> None:
    for number in range(times):
        assert world.deliver(world.issue(number), headers=FORGED).status_code == 401


def test_fifty_forged_in_a_row_raise_one_fault(world: World) -> None:
    assert world.source and world.operator_token
    forge(world, 50)
    for _ in range(2):
        health.sweep(world.lib)
    [fault] = faults(world)
    assert (fault["code"], fault["about"]) == ("source_refusing", "Source octo")
    assert fault["about_id"] == world.source.source["id"]
    assert "50 requests or more in a row" in fault["detail"]
    assert "does not match the body" in fault["detail"]
    assert source(world)["state"] == "active"


def test_forty_nine_raise_none(world: World) -> None:
    forge(world, 49)
    health.sweep(world.lib)
    assert faults(world) == []


def test_with_a_success_in_between_they_raise_none(world: World) -> None:
    forge(world, 40)
    assert succeed(world) == 202
    forge(world, 40)
    health.sweep(world.lib)
    assert faults(world) == []


def test_the_next_success_clears_it(world: World) -> None:
    forge(world, 50)
    health.sweep(world.lib)
    assert succeed(world) == 202
    health.sweep(world.lib)
    assert faults(world) == []
    [fault] = faults(world, "cleared")
    assert fault["code"] == "source_refusing"


def test_what_a_human_sends_through_again_does_not_clear_it(world: World) -> None:
    assert succeed(world) == 202
    good = world.log()[0]["id"]
    forge(world, 50)
    health.sweep(world.lib)
    assert world.operator("POST", f"/deliveries/{good}/replay").status_code == 201
    health.sweep(world.lib)
    assert len(faults(world)) == 1


def test_a_replay_in_between_does_not_break_a_run(world: World) -> None:
    assert succeed(world) == 202
    good = world.log()[0]["id"]
    forge(world, 25)
    assert world.operator("POST", f"/deliveries/{good}/replay").status_code == 201
    forge(world, 25)
    health.sweep(world.lib)
    assert len(faults(world)) == 1


@pytest.mark.parametrize("id", [None, "test-of-mine"])
def test_the_sample_of_a_test_does_not_clear_it_and_a_senders_own_does(
    world: World, id: str | None
) -> None:
    forge(world, 50)
    health.sweep(world.lib)
    given = world.source.source["kind"]
    sample = source_kind(world.lib.settings, given).sample("github.com", id or sample_ids.new())
    assert world.signed(world.source, sample.raw, sample.headers).status_code == 202
    health.sweep(world.lib)
    assert len(faults(world)) == (0 if id else 1)


def test_silence_does_not_clear_it(world: World) -> None:
    forge(world, 50)
    health.sweep(world.lib)
    with pytest.MonkeyPatch.context() as patch:
        now = clock.now()
        patch.setattr(clock, "ago", lambda seconds: now)  # nothing was refused since
        health.sweep(world.lib)
    assert len(faults(world)) == 1


def test_a_flood_raises_it_when_it_begins_to_fold(world: World) -> None:
    forge(world, floods.FOLD_AFTER + 65)  # the minute may turn on the way
    [fault] = faults(world)
    assert fault["code"] == "source_refusing"


def test_what_was_folded_counts(world: World) -> None:
    forge(world, 150)
    newest = max(world.log(), key=lambda row: row["count"])
    assert newest["count"] > 1
    assert succeed(world) == 202
    health.sweep(world.lib)
    assert faults(world) == []
    assert len(faults(world, "cleared")) == 1


def test_a_generic_sources_bad_bodies_raise_it(world: World) -> None:
    assert world.operator_token
    generic = world.add_source("cron", "generic", to=[world.endpoint.endpoint["name"]])
    for number in range(50):
        assert world.send(generic, b"no %d" % number).status_code == 422
    health.sweep(world.lib)
    [fault] = faults(world)
    assert (fault["code"], fault["about"]) == ("source_refusing", "Source cron")


def test_failures_of_ours_raise_it(world: World, environ: dict[str, str]) -> None:
    assert world.source and world.operator_token
    bare = {k: v for k, v in environ.items() if k != "SWITCHBOARD_ENCRYPTION_KEY"}
    keyless = World(create_app(read_settings(bare)))
    for name in ("account", "endpoint", "source", "operator_token"):
        setattr(keyless, name, getattr(world, name))
    for number in range(50):
        assert keyless.deliver(keyless.issue(number)).status_code == 503
    health.sweep(keyless.lib)
    [fault] = faults(world)
    assert "does not open with the encryption key" in fault["detail"]
    keyless.lib.db.dispose()


@pytest.mark.setting(PAUSE_AFTER="1000")
def test_refusals_of_what_was_signed_are_the_pauses_business(world: World) -> None:
    fail(world, 60)
    health.sweep(world.lib)
    assert faults(world) == []


def test_what_a_paused_source_is_sent_raises_nothing(world: World) -> None:
    assert world.source
    source_changes.set_state(world.lib, Machine(), "octo", "paused")
    assert fail(world, 70) == [423] * 70
    health.sweep(world.lib)
    assert faults(world) == []


def test_requests_to_unknown_addresses_raise_nothing(world: World) -> None:
    assert world.operator_token
    for number in range(70):
        world.client.post(f"/hooks/unknown-{number}")
    health.sweep(world.lib)
    assert faults(world) == []


def test_after_a_human_resumed_it_what_was_before_counts_no_more(world: World) -> None:
    forge(world, 50)
    health.sweep(world.lib)
    for state in ("paused", "active"):
        source_changes.set_state(world.lib, Machine(), "octo", state)
    forge(world, 10)
    health.sweep(world.lib)
    assert faults(world) == []


def test_a_revoked_source_has_no_fault(world: World) -> None:
    forge(world, 50)
    source_changes.set_state(world.lib, Machine(), "octo", "revoked")
    health.sweep(world.lib)
    assert faults(world) == []


def test_sweeps_at_once_raise_one(world: World) -> None:
    forge(world, 50)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: health.sweep(world.lib), range(4)))
    assert len(faults(world)) == 1


def test_a_fault_of_a_source_that_was_revoked_as_it_was_raised_is_cleared(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    forge(world, 50)
    judge = health._run

    def revoked_meanwhile(rows: Any) -> Any:
        source_changes.set_state(world.lib, Machine(), "octo", "revoked")
        return judge(rows)

    monkeypatch.setattr(health, "_run", revoked_meanwhile)
    health.look(world.lib, world.source.source["id"])
    monkeypatch.undo()
    assert len(faults(world)) == 1
    health.sweep(world.lib)
    assert faults(world) == []
