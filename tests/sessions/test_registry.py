"""Sessions on the machine itself, and what humans do with them."""

from __future__ import annotations

import pytest

from switchboard.access import accounts
from switchboard.access.accounts import NewAccount
from switchboard.access.principals import Machine
from switchboard.errors import Invalid
from switchboard.sessions import registry
from switchboard.sessions.registry import NewPane
from tests.sessions.desk import REF, Desk


def pane(desk: Desk, target: str = "work:0.0", **more: str) -> dict[str, str]:
    assert desk.world.account
    return registry.register_pane(desk.world.lib, Machine(), NewPane(REF, target, **more))


def test_one_session_of_an_owner_works_on_a_work_item(desk: Desk) -> None:
    first, again, other = pane(desk), pane(desk), pane(desk, "work:0.1")
    assert (first["id"], first["id"] == other["id"]) == (again["id"], False)
    listed = desk.world.operator("GET", "/sessions").json["sessions"]
    assert [(each["target"], each["state"]) for each in listed] == [
        ("work:0.1", "active"),
        ("work:0.0", "ended"),
    ]


def test_an_agent_does_not_take_over_a_work_item_that_another_session_works_on(
    desk: Desk,
) -> None:
    assert desk.todo and pane(desk)
    answer = desk.register()
    assert (answer.status_code, answer.json["code"]) == (409, "conflict")


def test_a_target_that_tmux_could_misread_is_refused(desk: Desk) -> None:
    with pytest.raises(Invalid):
        pane(desk, "-t work")


def test_sessions_are_listed_by_work_item_and_state(desk: Desk) -> None:
    pane(desk)
    calls = ("?ref=github:acme/rocket%237", "?ref=github:acme/rocket%238", "?state=ended")
    found = [desk.world.operator("GET", f"/sessions{each}").json["sessions"] for each in calls]
    assert [len(each) for each in found] == [1, 0, 0]
    assert desk.world.operator("GET", "/sessions?state=gone").json["field"] == "state"


@pytest.mark.parametrize("turn", ["pause", "resume", "end"])
def test_only_who_configures_the_owner_turns_a_session(desk: Desk, turn: str) -> None:
    session = pane(desk)
    accounts.create(desk.world.lib, NewAccount("eve", "eve@example.org"))
    desk.world.operator_token = accounts.mint_token(desk.world.lib, "eve")
    foreign = desk.world.operator("POST", f"/sessions/{session['id']}/{turn}")
    none = desk.world.operator("POST", f"/sessions/sn_{'0' * 26}/{turn}")
    assert (foreign.status_code, foreign.data) == (404, none.data)


def test_an_agent_turns_no_session(desk: Desk) -> None:
    session = desk.todo and desk.register().json
    answer = desk.world.agent("POST", f"/sessions/{session['id']}/resume")
    assert answer.status_code == 401


def test_a_session_that_has_ended_stays_ended_and_its_agent_may_register_anew(desk: Desk) -> None:
    session = desk.todo and desk.register().json
    for _ in range(2):
        ended = desk.world.operator("POST", f"/sessions/{session['id']}/end")
        assert (ended.status_code, ended.json["state"]) == (200, "ended")
    resumed = desk.world.operator("POST", f"/sessions/{session['id']}/resume")
    assert (resumed.status_code, resumed.json["code"]) == (409, "conflict")
    assert desk.register().json["id"] != session["id"]
