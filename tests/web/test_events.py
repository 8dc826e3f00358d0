"""The event log on its page: each line leads to all about the same thing; who may read what."""

from __future__ import annotations

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.sessions import asking
from switchboard.sessions.asking import Question
from tests.web.conftest import Human
from tests.world import World

NASTY = "<script>alert(1)</script>"


def test_a_line_says_what_was_done_by_whom_and_leads_to_all_about_it(
    world: World, ana: Human
) -> None:
    page = ana.read("/events")
    assert "Nothing has been done yet" in page
    made = world.connect("octo")
    page = ana.read("/events")
    assert "connection.added" in page and "github octo" in page and "command line" in page
    assert f"/events?about={made['id']}" in page
    assert "octo" in ana.read(f"/events?about={made['id']}&type=connection.added")
    assert "No event matches" in ana.read("/events?about=cn_x")


def test_the_events_of_one_work_item_are_read_by_its_ref(world: World, ana: Human) -> None:
    for number in (7, 8):
        asking.ask_here(
            world.lib, Machine(), Question(f"github:acme/rocket#{number}", "Which way?")
        )
    page = ana.read("/events?ref=github:acme/rocket%237")
    assert "session.awaiting_input" in page and "Which way?" in page
    assert "rocket#8" not in page


def test_a_strange_filter_is_refused_and_stays_text(ana: Human) -> None:
    answer = ana.get(f"/events?type={NASTY}")
    assert answer.status_code == 422
    assert NASTY not in answer.text


def test_nobody_reads_what_was_done_to_anothers(world: World, ana: Human, bob: Human) -> None:
    made = world.connect("octo")
    assert "octo" not in bob.read("/events")
    assert "octo" not in bob.read(f"/events?about={made['id']}")
    assert "octo" in ana.read("/events")


def test_a_member_sees_a_teams_connection_and_no_form_for_it(
    world: World, ana: Human, bob: Human
) -> None:
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "admin")
    accounts.add_member(world.lib, "core", "bob", "member")
    made = world.connect("shared", owner="core")
    path = f"/settings/connections/{made['id']}/"
    theirs, his = ana.read("/settings/connections"), bob.read("/settings/connections")
    assert made["fingerprint"] in theirs and made["fingerprint"] in his
    for act in ("test", "edit", "secret", "delete"):
        assert path + act in theirs and path + act not in his
