"""Two accounts and a team: what is somebody else's is answered byte for byte like what is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.access.endpoints import Vended
from switchboard.access.principals import Machine
from switchboard.lib import ids
from switchboard.notify import hooks
from tests.world import World

# method, path after the id or name, body; {noun} is of the things below
BY_OPERATORS: list[tuple[str, str, Any]] = [
    ("PATCH", "/connections/{connection}", {"name": "mine"}),
    ("PUT", "/connections/{connection}/secret", {"secret": "stolen"}),
    ("POST", "/connections/{connection}/test", None),
    ("DELETE", "/connections/{connection}", None),
    ("PATCH", "/sources/{source}", {"state": "paused"}),
    ("PUT", "/sources/{source}/secret", {}),
    ("POST", "/sources/{source}/rules/dry-run", {}),
    ("POST", "/sources/{source}/test", None),
    ("DELETE", "/sources/{source}", None),
    ("DELETE", "/endpoints/{endpoint}", None),
    ("GET", "/endpoints/{endpoint}/hook", None),
    ("PUT", "/endpoints/{endpoint}/hook", {"url": "https://example.org/"}),
    ("POST", "/endpoints/{endpoint}/hook/rotate", None),
    ("POST", "/endpoints/{endpoint}/hook/test", None),
    ("DELETE", "/endpoints/{endpoint}/hook", None),
    ("GET", "/deliveries/{delivery}", None),
    ("POST", "/deliveries/{delivery}/replay", None),
    ("GET", "/todos/{todo}", None),
    ("POST", "/todos/{todo}/retry", None),
    ("GET", "/todos/{todo}/comments", None),
    ("POST", "/todos/{todo}/comments", {"body": "hello"}),
    ("GET", "/threads/{thread}", None),
    ("POST", "/threads/{thread}/comments", {"body": "hello"}),
    ("POST", "/threads/{thread}/adopt", None),
    ("POST", "/threads/{thread}/close", None),
    ("POST", "/sessions/{session}/pause", None),
    ("POST", "/sessions/{session}/resume", None),
    ("POST", "/sessions/{session}/end", None),
]
BY_AGENTS: list[tuple[str, str, Any]] = [
    ("GET", "/todos/{todo}", None),
    ("POST", "/todos/{todo}/claim", None),
    ("POST", "/todos/{todo}/heartbeat", None),
    ("POST", "/todos/{todo}/complete", None),
    ("POST", "/todos/{todo}/replies", {"text": "hello"}),
    ("GET", "/todos/{todo}/comments", None),
    ("GET", "/replies/{reply}", None),
    ("GET", "/sessions/inbox?ref=todo:{todo}", None),
    ("POST", "/sessions/inbox/{session_message}/read", None),
    ("PUT", "/connections/{connection}/secret", {"secret": "stolen"}),
    ("DELETE", "/connections/{connection}", None),
    ("POST", "/webhooks/{webhook}/rotate", None),
    ("PUT", "/webhooks/{webhook}/secret", {"secret": "not your secret"}),
    ("DELETE", "/webhooks/{webhook}", None),
]
LISTS = (
    "/connections", "/sources", "/endpoints", "/deliveries", "/todos", "/threads", "/events",
    "/faults", "/verdicts", "/sessions",
)  # fmt: skip


@dataclass(frozen=True)
class Theirs:
    """One of everything of an owner's, by id."""

    things: dict[str, str]
    agent: Vended


def furnish(world: World, owner: str) -> Theirs:
    """One of everything for an owner."""
    agent = world.vend(f"of-{owner}", owner=owner, verbs=["all"])
    source = world.add_source(f"in-{owner}", owner=owner)
    connection = world.connect(f"out-{owner}", owner=owner)
    delivery = world.deliver(world.issue(1), source=source).json["delivery"]
    todo = world.claim(by=agent)
    path = f"/todos/{todo['id']}/replies"
    reply = world.agent("POST", path, {"text": "On it."}, by=agent).json["reply_id"]
    kept = {"kind": "ticket", "repo": f"{owner}/repo", "title": "t"}
    token = accounts.mint_token(world.lib, "ben" if owner == "core" else owner)
    whose = {"team": owner} if owner == "core" else {"account": owner}
    thread = world._call("POST", "/threads", kept | {"owner": whose}, token)
    assert thread.status_code == 201, thread.json
    new = {"kind": "github", "name": f"made-{owner}"}
    webhook = world.agent("POST", "/webhooks", new, by=agent).json["id"]
    at_work = {"ref": f"todo:{todo['id']}"}
    session = world.agent("POST", "/sessions", at_work, by=agent).json["id"]
    told = world._call("POST", "/sessions/reply", at_work | {"text": "Left."}, token)
    assert told.status_code == 200, told.json
    inbox = world.agent("GET", f"/sessions/inbox?ref={at_work['ref']}", by=agent).json
    hooks.put(world.lib, Machine(), agent.endpoint["id"], f"https://{owner}.example.org/")
    things = {
        "webhook": webhook,
        "connection": connection["id"],
        "source": source.source["id"],
        "endpoint": agent.endpoint["id"],
        "delivery": delivery,
        "todo": todo["id"],
        "reply": reply,
        "thread": thread.json["id"],
        "session": session,
        "session_message": inbox["messages"][0]["id"],
    }
    return Theirs(things, agent)


@pytest.fixture
def houses(world: World) -> dict[str, Theirs]:
    """Ana, ben, and the team core that ben owns. Nobody here is an admin."""
    accounts.create(world.lib, accounts.NewAccount("root", "root@example.org"))
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ben", "owner")
    return {owner: furnish(world, owner) for owner in ("ana", "ben", "core")}


def strangers() -> dict[str, str]:
    """Ids of things that are nowhere."""
    return {"webhook": ids.new("source")} | {noun: ids.new(noun) for noun in (
        "connection", "source", "endpoint", "delivery", "todo", "reply", "thread", "session",
        "session_message")}  # fmt: skip


def test_an_operator_cannot_tell_a_foreign_thing_from_none(
    world: World, houses: dict[str, Theirs], subtests: pytest.Subtests
) -> None:
    for method, path, body in BY_OPERATORS:
        unknown = world.operator(method, path.format(**strangers()), body)
        assert unknown.status_code == 404, (method, path, unknown.json)
        for owner in ("ben", "core"):
            with subtests.test(f"{method} {path} of {owner}"):
                foreign = world.operator(method, path.format(**houses[owner].things), body)
                assert (foreign.status_code, foreign.data) == (404, unknown.data)
                assert sorted(foreign.headers.keys()) == sorted(unknown.headers.keys())


def test_an_agent_cannot_tell_a_foreign_thing_from_none(
    world: World, houses: dict[str, Theirs], subtests: pytest.Subtests
) -> None:
    """Not even its owner's team's, nor the other way round."""
    for caller, callee in (("ana", "ben"), ("ben", "core"), ("core", "ben")):
        by = houses[caller].agent
        for method, path, body in BY_AGENTS:
            with subtests.test(f"{method} {path}: {caller}'s of {callee}'s"):
                unknown = world.agent(method, path.format(**strangers()), body, by=by)
                foreign = world.agent(method, path.format(**houses[callee].things), body, by=by)
                assert (foreign.status_code, foreign.data) == (404, unknown.data)


def test_no_list_holds_a_foreign_thing(
    world: World, houses: dict[str, Theirs], subtests: pytest.Subtests
) -> None:
    foreign = [id for owner in ("ben", "core") for id in houses[owner].things.values()]
    for path in LISTS:
        with subtests.test(path):
            listed = world.operator("GET", path)
            assert listed.status_code == 200
            assert not [id for id in foreign if id in listed.text]
            assert "ben" not in listed.text and "core" not in listed.text


def test_a_name_of_somebody_elses_is_nobodys(world: World, houses: dict[str, Theirs]) -> None:
    assert houses
    for noun, name in (("connections", "out-ben"), ("sources", "in-core")):
        known = world.operator("DELETE", f"/{noun}/{name}")
        unknown = world.operator("DELETE", f"/{noun}/nothing")
        assert (known.status_code, known.data) == (404, unknown.data)
