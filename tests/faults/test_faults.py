"""Faults: raised once, cleared once, and seen by whom they concern."""

from __future__ import annotations

import time
from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.faults import book
from switchboard.faults.book import Condition
from switchboard.inbound import health, source_changes
from tests.inbound.pausing import FORGED, fail, faults
from tests.web.conftest import Human, ana, bob
from tests.world import World

__all__ = ["ana", "bob"]  # fixtures


def condition(world: World, about_id: str, code: str = "source_paused") -> Condition:
    return Condition(
        code, about_id, f"Source {about_id}", f"Why {about_id}.", world.account["id"], None
    )


def raise_fault(world: World, about_id: str, code: str = "source_paused") -> None:
    given = condition(world, about_id, code)
    with world.lib.db.write() as session:
        book.raise_in(session, given)
    time.sleep(0.002)  # ids of one millisecond have no order


def clear_fault(world: World, about_id: str, code: str = "source_paused") -> None:
    with world.lib.db.write() as session:
        book.clear_in(session, code, about_id)


def test_one_that_stands_is_not_raised_again(world: World) -> None:
    for _ in range(3):
        raise_fault(world, "one")
    assert [fault["about_id"] for fault in faults(world)] == ["one"]


def test_each_thing_and_each_code_has_its_own(world: World) -> None:
    raise_fault(world, "one")
    raise_fault(world, "two")
    raise_fault(world, "one", "source_refusing")
    assert len(faults(world)) == 3


def test_once_cleared_it_may_be_raised_anew(world: World) -> None:
    raise_fault(world, "one")
    clear_fault(world, "one")
    clear_fault(world, "one")
    raise_fault(world, "one")
    assert len(faults(world)) == len(faults(world, "cleared")) == 1


def test_clearing_one_leaves_the_others(world: World) -> None:
    raise_fault(world, "one")
    raise_fault(world, "two")
    clear_fault(world, "one")
    assert [fault["about_id"] for fault in faults(world)] == ["two"]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


def test_it_tells_what_is_wrong_about_what_since_when(world: World) -> None:
    raise_fault(world, "one")
    [fault] = world.operator("GET", "/faults").json["faults"]
    assert fault.pop("id").startswith("ft_")
    assert fault.pop("raised_at").endswith("Z")
    assert fault == {
        "code": "source_paused",
        "about_id": "one",
        "about": "Source one",
        "owner": {"account": "ana"},
        "detail": "Why one.",
        "state": "standing",
        "cleared_at": None,
    }


def test_they_are_listed_newest_first_page_by_page(world: World) -> None:
    for number in range(5):
        raise_fault(world, f"n{number}")
    found, after = [], ""
    while after is not None:
        page = world.operator("GET", f"/faults?limit=2{after and '&after=' + after}").json
        found += [fault["about_id"] for fault in page["faults"]]
        after = page["next"]
    assert found == ["n4", "n3", "n2", "n1", "n0"]


def test_they_are_found_by_what_they_are_about(world: World) -> None:
    raise_fault(world, "one")
    raise_fault(world, "two")
    clear_fault(world, "two")
    raise_fault(world, "two")
    found = world.operator("GET", "/faults?about=two").json["faults"]
    assert [fault["state"] for fault in found] == ["standing", "cleared"]
    assert len(world.operator("GET", "/faults?about=two&state=cleared").json["faults"]) == 1


@pytest.mark.parametrize(
    ("query", "field"), [("state=open", "state"), ("limit=0", "limit"), ("limit=x", "limit")]
)
def test_a_filter_that_is_none_is_refused(world: World, query: str, field: str) -> None:
    answer = world.operator("GET", f"/faults?{query}")
    assert (answer.status_code, answer.json["field"]) == (422, field)


def test_an_agent_has_no_business_there(world: World) -> None:
    assert world.agent("GET", "/faults").status_code == 401


@pytest.fixture
def as_bob(world: World) -> Any:
    """Calls of somebody who is no admin."""
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("bob", "bob@example.org"))
    token = accounts.mint_token(world.lib, "bob")
    return lambda path: world._call("GET", path, None, token)


def test_another_accounts_faults_are_not_shown(world: World, as_bob: Any) -> None:
    raise_fault(world, "one")
    assert as_bob("/faults").json == {"faults": [], "next": None}
    assert as_bob("/faults?about=one").json["faults"] == []


def test_a_teams_faults_are_shown_to_its_members(world: World, as_bob: Any) -> None:
    team = accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "bob", "member")
    with world.lib.db.write() as session:
        book.raise_in(
            session, Condition("source_paused", "x", "Source x", "Why.", None, team["id"])
        )
    assert [fault["owner"] for fault in as_bob("/faults").json["faults"]] == [{"team": "core"}]


def test_an_admin_sees_everybodys(world: World, as_bob: Any) -> None:
    source = world.add_source("his", owner="bob")
    for _ in range(10):
        world.deliver(b"no JSON %d" % world.sent, source=source)
    assert [fault["owner"] for fault in faults(world)] == [{"account": "bob"}]
    assert len(as_bob("/faults").json["faults"]) == 1


# ── the home page ────────────────────────────────────────────────────────────────────────────────


def test_a_fault_stands_on_the_home_page_once(ana: Human, world: World) -> None:
    fail(world, 10)
    page = ana.read("/")
    assert page.count("10 deliveries in a row were refused") == 1
    assert "It takes nothing until somebody resumes it" not in page
    assert f"/settings/sources/{world.source.source['id']}" in page


def test_a_flood_of_forged_requests_stands_there_once(ana: Human, world: World) -> None:
    for number in range(50):
        world.deliver(world.issue(number), headers=FORGED)
    health.sweep(world.lib)
    page = ana.read("/")
    assert "50 requests or more in a row" in page
    assert "The last 10 or more deliveries were refused" not in page


def test_once_cleared_it_stands_there_no_more(ana: Human, world: World) -> None:
    fail(world, 10)
    source_changes.set_state(world.lib, Machine(), "octo", "active")
    assert "10 deliveries in a row were refused" not in ana.read("/")


def test_an_admin_is_told_whose_it_is(ana: Human, bob: Human, world: World) -> None:
    source = world.add_source("his", owner="bob")
    for _ in range(10):
        world.deliver(b"no JSON %d" % world.sent, source=source)
    assert "Source his of bob" in ana.read("/")
    assert "Source his of bob" not in bob.read("/") and "Source his" in bob.read("/")
