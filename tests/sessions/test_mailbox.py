"""An agent on another machine: its mailbox, which nobody else reads, and what it acknowledges."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from tests.sessions.desk import REF, VERBS, Desk


def test_an_agent_registers_a_mailbox_for_the_todo_it_holds(desk: Desk) -> None:
    assert desk.todo
    answer = desk.register()
    assert answer.status_code == 201
    found = {name: answer.json[name] for name in ("ref", "transport", "state", "endpoint", "owner")}
    assert found == {
        "ref": REF,
        "transport": "mailbox",
        "state": "active",
        "endpoint": "asker",
        "owner": {"account": "ana"},
    }
    assert desk.register().json["id"] == answer.json["id"]
    [listed] = desk.world.operator("GET", "/sessions").json["sessions"]
    assert listed["id"] == answer.json["id"]


def test_an_agent_registers_none_for_a_work_item_it_does_not_hold(desk: Desk) -> None:
    assert desk.todo
    answer = desk.register("github:acme/rocket#8")
    assert (answer.status_code, answer.json["code"]) == (409, "not_claimed")


def test_an_agent_cannot_register_a_pane(desk: Desk) -> None:
    assert desk.todo
    body = {"ref": REF, "transport": "tmux", "target": "work:0.0", "socket": "/tmp/tmux"}
    # past the check of the contract, which knows no such fields
    bearer = {"Authorization": f"Bearer {desk.agent.credential}"}
    made = desk.world.client.post("/api/v1/sessions", json=body, headers=bearer).json
    assert (made["transport"], made["target"]) == ("mailbox", None)


def test_an_agent_without_the_session_verbs_registers_nothing(desk: Desk) -> None:
    assert desk.world.claimed(7)
    assert desk.register().status_code == 403


def test_an_answer_comes_until_it_is_read_and_the_receipt_says_so(desk: Desk) -> None:
    assert desk.todo and desk.register()
    desk.answer("Left.", comment=False)
    [first], [second] = desk.collect().json["messages"], desk.collect().json["messages"]
    assert first["id"] == second["id"]
    for _ in range(2):
        read = desk.world.agent("POST", f"/sessions/inbox/{first['id']}/read")
        assert (read.status_code, read.json["state"]) == (200, "read")
    assert desk.collect().json["messages"] == []
    [receipt] = desk.about()["receipts"]
    assert (receipt["state"], receipt["text"], receipt["actor"]) == ("read", "Left.", "ana")


def test_an_agent_that_waits_gets_the_answer_when_it_comes(desk: Desk) -> None:
    assert desk.todo and desk.register()
    threading.Timer(0.4, lambda: desk.answer("Left.", comment=False)).start()
    begun = time.monotonic()
    [message] = desk.collect(wait="20").json["messages"]
    assert message["text"] == "Left."
    assert time.monotonic() - begun < 10


def test_a_wait_in_which_nothing_comes_ends_empty(desk: Desk) -> None:
    assert desk.todo and desk.register()
    answer = desk.collect(wait="0.2")
    assert (answer.status_code, answer.json["messages"]) == (200, [])


@pytest.mark.parametrize("wait", ["soon", "-1", "1e9", "nan", "٣"])
def test_a_wait_is_a_number_of_seconds(desk: Desk, wait: str) -> None:
    assert desk.agent
    assert desk.collect(wait=wait).json["field"] == "wait"


def test_nobody_reads_somebody_elses_mailbox(desk: Desk) -> None:
    assert desk.todo and desk.register()
    desk.answer("Left.", comment=False)
    [message] = desk.collect().json["messages"]
    other = desk.world.vend("other", verbs=VERBS)
    path = f"/sessions/inbox/{message['id']}/read"
    answers: list[Any] = [desk.collect(by=other), desk.world.agent("POST", path, by=other)]
    assert [answer.status_code for answer in answers] == [404, 404]


def test_an_answer_closes_the_question_in_the_log(desk: Desk) -> None:
    assert desk.todo and desk.register()
    desk.answer("Left.", comment=False)
    event = desk.events()[0]
    assert (event["type"], event["actor"]) == ("session.reply_sent", "ana")
    assert event["data"]["via"] == "api"


def test_the_mailbox_of_an_endpoint_that_has_ended_gives_way(desk: Desk) -> None:
    assert desk.todo and desk.register()
    session = desk.world.operator("GET", "/sessions").json["sessions"][0]
    desk.world.operator("DELETE", "/endpoints/asker")
    desk.world.endpoint = successor = desk.world.vend("successor", verbs=VERBS)
    desk.world.source = desk.world.add_source("anew", to=["successor"])
    assert desk.world.deliver(desk.world.issue(7)).status_code == 202
    assert desk.world.claim()
    registered = desk.register(by=successor)
    assert (registered.status_code, registered.json["endpoint"]) == (201, "successor")
    assert registered.json["id"] != session["id"]
