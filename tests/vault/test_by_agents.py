"""The four connection verbs of agents: off unless granted, for the owner's things, never a secret back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select, update

from switchboard.access import accounts
from switchboard.access.endpoints import Vended
from switchboard.models import Connection, Source
from tests.standins.github import GitHubStandIn
from tests.world import World

NEW = {"kind": "github", "name": "gh", "account_key": "github.com", "secret": "canary-0123456789"}
VERBS: list[tuple[str, str, Any]] = [
    ("GET", "/connections", None),
    ("POST", "/connections", NEW),
    ("PUT", "/connections/octo/secret", {"secret": "another-0123456789"}),
    ("DELETE", "/connections/octo", None),
]


@pytest.fixture
def keeper(world: World) -> Vended:
    """An agent of ana's that was granted the connection verbs."""
    return world.vend("keeper", verbs=["drain", "connection"])


def test_none_of_the_four_is_there_unless_granted(world: World, subtests: pytest.Subtests) -> None:
    assert world.connection
    plain = world.vend("plain", verbs=["drain", "reply", "webhook", "session"])
    for method, path, body in VERBS:
        with subtests.test(f"{method} {path}"):
            answer = world.agent(method, path, body, by=plain)
            assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    [kept] = world.operator("GET", "/connections").json["connections"]
    assert (kept["name"], kept["rotated_at"]) == ("octo", None)


def test_an_agent_stores_replaces_and_forgets_a_credential(
    world: World, keeper: Vended, github: GitHubStandIn, subtests: pytest.Subtests
) -> None:
    with subtests.test("create: it is its owner's"):
        made = world.agent("POST", "/connections", NEW, by=keeper)
        assert (made.status_code, made.json["owner"]) == (201, {"account": "ana"})
        assert NEW["secret"] not in made.text
    with subtests.test("list"):
        listed = world.agent("GET", "/connections", by=keeper)
        assert [each["id"] for each in listed.json["connections"]] == [made.json["id"]]
        assert NEW["secret"] not in listed.text
    with subtests.test("rotate: the next call is made with the new one"):
        path = "/connections/gh/secret"
        rotated = world.agent("PUT", path, {"secret": "another-0123456789"}, by=keeper)
        assert (rotated.status_code, rotated.data) == (204, b"")
        assert world.operator("POST", "/connections/gh/test").json["ok"]
        assert github.requests[-1].headers["authorization"] == "Bearer another-0123456789"
    with subtests.test("delete"):
        assert world.agent("DELETE", "/connections/gh", by=keeper).status_code == 204
        assert world.agent("GET", "/connections", by=keeper).json["connections"] == []


def test_an_agent_neither_widens_nor_tests_a_connection(
    world: World, keeper: Vended, github: GitHubStandIn
) -> None:
    world.connect("octo", targets=["acme/*"])
    widened = world.agent("PATCH", "/connections/octo", {"config": {"targets": []}}, by=keeper)
    tested = world.agent("POST", "/connections/octo/test", by=keeper)
    assert [widened.status_code, tested.status_code] == [401, 401]
    [kept] = world.operator("GET", "/connections").json["connections"]
    assert kept["targets"] == ["acme/*"]
    assert github.requests == []


def test_an_agent_takes_no_narrowed_connection_away_to_put_a_wider_one_there(
    world: World, keeper: Vended, subtests: pytest.Subtests
) -> None:
    world.vend("another")
    for number, narrow in enumerate(
        ({"targets": ["acme/*"]}, {"endpoints": ["another"]}, {"replies_per_todo": 3})
    ):
        name = f"narrow-{number}"
        made = world.connect(name, account_key=f"h{number}.example", **narrow)
        with subtests.test(str(narrow)):
            answer = world.agent("DELETE", f"/connections/{name}", by=keeper)
            assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
        with subtests.test(f"{narrow}: another token"):
            path = f"/connections/{name}/secret"
            answer = world.agent("PUT", path, {"secret": "another-0123"}, by=keeper)
            assert answer.status_code == (403 if "endpoints" in narrow else 204)
            [kept] = [c for c in world.operator("GET", "/connections").json["connections"]
                      if c["id"] == made["id"]]  # fmt: skip
            assert (kept["rotated_at"] is None) == ("endpoints" in narrow)


def test_an_agent_sets_no_cap(world: World, keeper: Vended) -> None:
    body = NEW | {"config": {"replies_per_todo": 100}}
    answer = world.agent("POST", "/connections", body, by=keeper)
    assert (answer.status_code, answer.json["field"]) == (422, "replies_per_todo")
    assert world.operator("GET", "/connections").json["connections"] == []


def test_who_has_not_the_verbs_is_told_so_before_what_is_sent_is_read(world: World) -> None:
    for method, path in (("POST", "/connections"), ("PUT", "/connections/x/secret")):
        answer = world.agent(method, path, {"nonsense": 1})
        assert (answer.status_code, answer.json["code"]) == (403, "forbidden")


@pytest.mark.parametrize("whose", [{"account": "ben"}, {"team": "core"}, {"account": "me"}, None])
def test_whatever_owner_is_named_a_connection_is_the_endpoints_owners(
    world: World, keeper: Vended, whose: Any
) -> None:
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    made = world.agent("POST", "/connections", NEW | {"owner": whose}, by=keeper)
    assert (made.status_code, made.json["owner"]) == (201, {"account": "ana"})


def test_an_agent_reaches_neither_its_owners_team_nor_its_neighbour(
    world: World, keeper: Vended, subtests: pytest.Subtests
) -> None:
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    foreign = [world.connect("of-ben", owner="ben"), world.connect("of-core", owner="core")]
    assert world.agent("GET", "/connections", by=keeper).json["connections"] == []
    for each in foreign:
        for method, tail, body in (("PUT", "/secret", {"secret": "stolen"}), ("DELETE", "", None)):
            for ref in (each["id"], each["name"]):
                with subtests.test(f"{method} {ref}"):
                    answer = world.agent(method, f"/connections/{ref}{tail}", body, by=keeper)
                    unknown = world.agent(method, f"/connections/nothing{tail}", body, by=keeper)
                    assert (answer.status_code, answer.data) == (404, unknown.data)
    with world.lib.db.read() as session:
        assert len(session.scalars(select(Connection)).all()) == 2


def test_a_teams_agent_works_on_the_teams(world: World) -> None:
    assert world.account
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    shared = world.vend("shared", owner="core", verbs=["connection"])
    made = world.agent("POST", "/connections", NEW, by=shared)
    assert made.json["owner"] == {"team": "core"}


def test_what_an_agent_did_is_in_the_event_log_under_its_name(world: World, keeper: Vended) -> None:
    made = world.agent("POST", "/connections", NEW, by=keeper).json
    world.agent("DELETE", "/connections/gh", by=keeper)
    events = world.operator("GET", f"/events?about={made['id']}").json["events"]
    assert [(each["type"], each["actor"]) for each in events] == [
        ("connection.deleted", "agent keeper"),
        ("connection.added", "agent keeper"),
    ]
    assert NEW["secret"] not in json.dumps(events)


def test_an_allowlist_of_an_agents_own_opens_nothing_to_what_an_agent_can_forge(
    world: World,
) -> None:
    assert world.source
    keeper = world.vend("keeper", verbs=["connection"])
    given = NEW | {"config": {"targets": ["*"]}}
    assert world.agent("POST", "/connections", given, by=keeper).status_code == 201
    # what its owner would do who finds that it does not work
    rotated = world.operator("PUT", "/connections/gh/secret", {"secret": "real-0123456789"})
    assert rotated.status_code == 204
    world.deliver(world.issue(1))
    todo = world.claim()
    with world.lib.db.write() as session:
        session.execute(update(Source).values(secret_known_to_agent=True))
    refused = world.reply(todo, "hello")
    assert (refused.status_code, refused.json["code"]) == (403, "target_not_allowed")
    world.operator("PATCH", "/connections/gh", {"config": {"targets": ["acme/*"]}})
    assert world.reply(todo, "hello").status_code == 202
