"""A ticket that a source opened waits for somebody to adopt it; a day unadopted, it says so."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from switchboard.access import accounts, login
from switchboard.lib import clock, ids
from switchboard.models import Thread, Todo
from switchboard.threads import attention
from tests.threads.conftest import Filing
from tests.world import World


def thread(world: World, made: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = world.operator("GET", f"/threads/{made['id']}").json
    return found


def test_whoever_claims_the_todo_adopts_the_ticket(world: World, ci: Filing) -> None:
    made = ci.ticket()
    assert thread(world, made)["adopted_by"] is None
    todo = world.claim()
    found = thread(world, made)
    assert found["adopted_by"] == {"endpoint": "fixer"} and found["adopted_at"]
    world.agent("POST", f"/todos/{todo['id']}/release")
    world.agent("POST", f"/todos/{todo['id']}/claim")
    assert thread(world, made)["adopted_at"] == found["adopted_at"]


def test_a_named_claim_adopts_as_well(world: World, ci: Filing) -> None:
    made = ci.say({"kind": "ticket", "title": "x"}).json
    world.agent("POST", f"/todos/{made['todos'][0]['id']}/claim")
    assert thread(world, made["artifacts"][0])["adopted_by"] == {"endpoint": "fixer"}


def test_a_human_adopts_by_saying_so_and_a_later_claim_changes_nothing(
    world: World, ci: Filing
) -> None:
    made = ci.ticket()
    first = world.operator("POST", f"/threads/{made['id']}/adopt").json
    again = world.operator("POST", f"/threads/{made['id']}/adopt")
    assert (again.status_code, again.json["adopted_at"]) == (200, first["adopted_at"])
    world.claim()
    assert thread(world, made)["adopted_by"] == {"account": "ana"}


def test_what_an_agent_adopted_is_not_taken_from_it(world: World, ci: Filing) -> None:
    made = ci.ticket()
    world.claim()
    answer = world.operator("POST", f"/threads/{made['id']}/adopt")
    assert (answer.status_code, answer.json["code"]) == (409, "conflict")


def test_only_tickets_are_adopted(world: World, add: Any) -> None:
    answer = world.operator("POST", f"/threads/{add(kind='forum')['id']}/adopt")
    assert (answer.status_code, answer.json["code"]) == (409, "conflict")


def test_of_many_who_adopt_at_once_one_does(world: World, ci: Filing) -> None:
    made = ci.ticket()
    endpoints = [world.vend(f"e{number}") for number in range(8)]
    now = clock.now()
    with world.lib.db.write() as session:
        for vended in endpoints:
            session.add(
                Todo(
                    id=ids.new("todo"), endpoint_id=vended.endpoint["id"], queue="default",
                    state="pending", title="x", kind="ticket", thread_id=made["id"],
                    owner_account_id=world.account["id"], created_at=now,
                )
            )  # fmt: skip
    with ThreadPoolExecutor(8) as pool:
        claimed = list(pool.map(lambda vended: claim(world, vended), endpoints))
    assert claimed == [200] * 8
    assert thread(world, made)["adopted_by"]["endpoint"] in {f"e{n}" for n in range(8)}


def claim(world: World, vended: Any) -> int:
    headers = {"Authorization": f"Bearer {vended.credential}"}
    client = world.app.test_client()
    return client.post("/api/v1/todos/claim-next", json={}, headers=headers).status_code


def test_closing_and_reopening_are_done_once(world: World, add: Any) -> None:
    path = f"/threads/{add()['id']}"
    closed = world.operator("POST", f"{path}/close").json
    assert closed["state"] == "closed"
    assert world.operator("POST", f"{path}/close").json["closed_at"] == closed["closed_at"]
    assert world.operator("POST", f"{path}/comments", {"body": "Still true."}).status_code == 201
    reopened = world.operator("POST", f"{path}/reopen").json
    assert (reopened["state"], reopened["closed_at"]) == ("open", None)


# what stands on the attention page


def age(world: World, thread_id: str, hours: int) -> str:
    """Let a thread be that old; its new id, as ids tell the time."""
    then = clock.now() - timedelta(hours=hours)
    new = ids.first_at("thread", then)
    with world.lib.db.write() as session:
        values = {"id": new, "created_at": then}
        session.execute(update(Thread).where(Thread.id == thread_id).values(values))
    return new


def waiting(world: World) -> list[str]:
    operator = login.with_token(world.lib, world.operator_token)
    return [each["ref"] for each in attention.unadopted(world.lib, operator)]


def test_a_ticket_of_a_source_left_for_a_day_needs_somebody(world: World, ci: Filing) -> None:
    ticket = age(world, ci.ticket()["id"], 23)
    assert waiting(world) == []
    age(world, ticket, 25)
    assert waiting(world) == ["ticket:acme/rocket#1"]


@pytest.mark.parametrize("act", ["adopt", "close"])
def test_once_adopted_or_closed_it_needs_nobody(world: World, ci: Filing, act: str) -> None:
    ticket = age(world, ci.ticket()["id"], 25)
    assert world.operator("POST", f"/threads/{ticket}/{act}").status_code == 200
    assert waiting(world) == []


def test_what_people_opened_needs_nobody(world: World, add: Any) -> None:
    age(world, add()["id"], 25)
    assert waiting(world) == []


def test_another_owners_ticket_is_not_ours_to_adopt(world: World, ci: Filing, ben: Any) -> None:
    age(world, ci.ticket()["id"], 25)
    theirs = login.with_token(world.lib, accounts.mint_token(world.lib, "ben"))
    assert ben("GET", "/threads").json["threads"] == []
    assert attention.unadopted(world.lib, theirs) == []
