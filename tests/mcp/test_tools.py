"""Every tool does what the JSON route of the same meaning does, in the same shapes."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.access.endpoints import Vended
from switchboard.mcp.registry import FAMILIES
from tests.mcp.clients import refusal, result
from tests.world import CONNECTION_SECRET, World


def test_the_life_of_a_todo(world: World) -> None:
    assert result(world, "claim_next") == {"id": None}
    assert world.source and world.deliver(world.issue(7)).status_code == 202
    [listed] = result(world, "list_todos", state="pending")["todos"]
    todo = {"todo_id": listed["id"]}
    assert listed["payload"] is None
    whole = result(world, "get_todo", **todo)
    assert whole == world.agent("GET", f"/todos/{listed['id']}").json
    assert whole["payload"]["issue"]["number"] == 7
    claimed = result(world, "claim", **todo, lease_seconds=60)
    assert (claimed["state"], claimed["attempt"]) == ("claimed", 1)
    longer = result(world, "heartbeat", **todo, attempt=1)
    assert longer["lease_expires_at"] > claimed["lease_expires_at"]
    assert result(world, "release", **todo, attempt=1)["state"] == "pending"
    assert result(world, "claim_next", queue="default")["attempt"] == 2
    assert refusal(world, "heartbeat", **todo, attempt=1)["code"] == "lease_lost"
    assert result(world, "fail", **todo, attempt=2, retry=False)["state"] == "failed"
    assert refusal(world, "claim", **todo)["code"] == "conflict"
    assert result(world, "list_todos") == {
        "todos": [result(world, "get_todo", **todo) | {"payload": None}],
        "next": None,
    }


def test_a_list_goes_on_where_it_ended(world: World) -> None:
    assert world.source
    for number in range(3):
        world.deliver(world.issue(number + 1))
    first = result(world, "list_todos", limit=2)
    rest = result(world, "list_todos", limit=2, after=first["next"])
    assert [len(first["todos"]), len(rest["todos"]), rest["next"]] == [2, 1, None]


def test_a_note_on_a_todo_is_read_by_people(world: World) -> None:
    todo = world.claimed(7)
    said = result(world, "comment", todo_id=todo["id"], body="Looking into it.")
    assert said["body"] == "Looking into it." and said["via"] == "mcp"
    assert result(world, "list_comments", todo_id=todo["id"])["comments"] == [said]
    assert world.operator("GET", f"/todos/{todo['id']}/comments").json["comments"] == [said]


def test_a_finished_todo_keeps_its_result(world: World) -> None:
    todo = world.claimed(7)
    given = {"fixed": True, "notes": ["é", "🎺"]}
    assert result(world, "complete", todo_id=todo["id"], result=given)["state"] == "done"
    assert world.operator("GET", f"/todos/{todo['id']}").json["result"] == given
    told = refusal(world, "complete", todo_id=todo["id"], result="x" * 20_000)
    assert (told["code"], told["field"]) == ("invalid_argument", "result")


def test_a_reply_is_pending_until_a_worker_posted_it(world: World) -> None:
    todo = world.claimed(7)
    said = result(world, "reply", todo_id=todo["id"], text="On it.", wait=0)
    assert (said["state"], said["display"]) == ("pending", "github acme/rocket#7")
    assert result(world, "get_reply", reply_id=said["reply_id"]) == said
    again = result(world, "reply", todo_id=todo["id"], text="On it.")
    assert again == said | {"duplicate": True}


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"text": " "}, "invalid_argument"),
        ({"text": "ghp_" + "aB3" * 12}, "secret_detected"),
        ({"text": "Fine.", "attempt": 9}, "lease_lost"),
        ({"text": "Fine.", "idempotency_key": "é"}, "invalid_argument"),
        ({"text": "Fine.", "todo_id": "td_nothing"}, "not_found"),
    ],
)
def test_a_reply_is_refused_with_the_codes_of_the_json_route(
    world: World, wanted: dict[str, Any], code: str
) -> None:
    todo = world.claimed(7)
    told = refusal(world, "reply", **{"todo_id": todo["id"], **wanted})
    assert told["code"] == code and told["message"]
    assert "ghp_" not in str(told)


def test_a_letter_lost_since_the_grant_is_named(world: World) -> None:
    made = world.operator("POST", "/endpoints", {"name": "mine", "verbs": ["drain", "reply"]})
    mine = Vended(made.json, made.json["credential"])
    source = world.add_source("octo", to=["mine"])
    assert world.deliver(world.issue(7), source=source).status_code == 202
    todo = result(world, "claim_next", mine)
    accounts.set_letters(world.lib, world.account["name"], "ncf")
    told = refusal(world, "reply", mine, todo_id=todo["id"], text="Fine.")
    assert (told["code"], told["letter"]) == ("missing_capability", "x")


def test_an_agent_stores_replaces_and_forgets_a_credential_and_never_reads_one(
    world: World,
) -> None:
    agent = world.vend("keeper", verbs=["connection"])
    new = {"kind": "github", "name": "forge", "account_key": "github.com"}
    made = result(
        world, "create_connection", agent, **new, secret=CONNECTION_SECRET,
        config={"targets": ["acme/*"], "signature": "the keeper"},
    )  # fmt: skip
    assert (made["name"], made["targets"]) == ("forge", ["acme/*"])
    assert result(world, "list_connections", agent) == {"connections": [made], "next": None}
    turned = result(world, "rotate_connection", agent, connection_id=made["id"], secret="another")
    assert turned["fingerprint"] != made["fingerprint"]
    assert CONNECTION_SECRET not in str([made, turned])
    told = refusal(world, "create_connection", agent, **new, secret="s")
    assert (told["code"], told["field"]) == ("conflict", "name")
    assert refusal(world, "delete_connection", agent, connection_id="forge")["code"] == "forbidden"
    world.operator("PATCH", "/connections/forge", {"config": {"targets": []}})
    result(world, "delete_connection", agent, connection_id="forge")
    assert result(world, "list_connections", agent)["connections"] == []
    assert refusal(world, "delete_connection", agent, connection_id="forge")["code"] == "not_found"


def test_a_bug_is_told_without_details(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("canary")

    monkeypatch.setattr("switchboard.todos.views.search", broken)
    told = refusal(world, "list_todos")
    assert told == {
        "code": "internal", "message": "Something went wrong here. The log has the details.",
    }  # fmt: skip


def test_no_two_tools_have_one_name() -> None:
    names = [tool.name for family in FAMILIES.values() for tool in family.tools]
    assert len(names) == len(set(names))
