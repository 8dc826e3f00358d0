"""The event log: a line stands if and only if what it says does; who may read which; pages to the end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.events import log
from switchboard.events.catalogue import TYPES
from switchboard.vault import connections
from tests.standins.github import GitHubStandIn
from tests.world import World

NEW = {"kind": "github", "name": "gh", "account_key": "github.com", "secret": "canary-0123456789"}
DOCS = Path(__file__).parents[2] / "docs"


def events(world: World, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = world.operator("GET", f"/events{query}").json["events"]
    return found


def test_all_that_is_done_to_a_connection_is_written_with_who_did_it(
    world: World, github: GitHubStandIn
) -> None:
    made = world.operator("POST", "/connections", NEW).json
    world.operator("PATCH", "/connections/gh", {"config": {"targets": ["acme/*"]}})
    world.operator("PUT", "/connections/gh/secret", {"secret": "another-0123456789"})
    world.operator("POST", "/connections/gh/test")
    world.operator("DELETE", "/connections/gh")
    found = list(reversed(events(world)))
    assert [each["type"] for each in found] == [
        "connection.added", "connection.edited", "connection.rotated", "connection.tested",
        "connection.deleted",
    ]  # fmt: skip
    assert {each["actor"] for each in found} == {"ana"}
    assert {each["about_id"] for each in found} == {made["id"]}
    assert {each["about"] for each in found} == {"github gh"}
    assert found[1]["data"] == {"targets": ["acme/*"]}
    assert found[3]["data"] == {"ok": True, "class": None, "identity": "switchboard-bot"}
    assert set(found[0]) == {"id", "type", "at", "actor", "actor_id", "about_id", "about", "ref", "data",
                             "owner"}  # fmt: skip


def test_what_was_refused_leaves_no_line(world: World) -> None:
    world.operator("POST", "/connections", NEW)
    world.operator("POST", "/connections", NEW)
    world.operator("PATCH", "/connections/gh", {"name": "a/b"})
    world.operator("DELETE", "/connections/nothing")
    assert [each["type"] for each in events(world)] == ["connection.added"]


def test_an_operator_reads_what_was_done_to_theirs_and_an_admin_everything(world: World) -> None:
    accounts.create(
        world.lib, accounts.NewAccount("root", "root@example.org")
    )  # an admin, the first
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "member")
    for owner in ("ana", "ben", "core"):
        world.connect(f"of-{owner}", owner=owner)

    def read(name: str) -> set[str]:
        token = accounts.mint_token(world.lib, name)
        found = world._call("GET", "/events", None, token).json["events"]
        return {each["about"].removeprefix("github of-") for each in found}

    assert read("ana") == {"ana", "core"}
    assert read("ben") == {"ben"}
    assert read("root") == {"ana", "ben", "core"}


def test_the_log_is_filtered_and_paged_to_its_end(world: World) -> None:
    for number in range(5):
        world.connect(f"n{number}", account_key=f"h{number}.example")
    connections.delete(world.lib, Machine(), "n0")
    assert len(events(world, "?type=connection.added&limit=3")) == 3
    seen, after = [], ""
    while after is not None:
        page = world.operator("GET", f"/events?limit=4{after and '&after=' + after}").json
        seen += [each["id"] for each in page["events"]]
        after = page["next"]
    assert len(seen) == 6 and seen == sorted(seen, reverse=True)
    assert events(world, "?since=2099-01-01") == []
    assert len(events(world, "?since=1h")) == 6


@pytest.mark.parametrize("query", ["?type=connection.eaten", "?since=soon", "?limit=0"])
def test_a_filter_that_is_none_is_refused_beside_its_field(world: World, query: str) -> None:
    answer = world.operator("GET", f"/events{query}")
    assert (answer.status_code, answer.json["code"]) == (422, "invalid_argument")
    assert query.startswith(f"?{answer.json['field']}=")


def test_a_type_outside_the_catalogue_cannot_be_written(world: World) -> None:
    with world.lib.db.write() as session, pytest.raises(ValueError, match="no such event type"):
        log.append(session, Machine().actor, log.Happened("connection.eaten"))


def test_the_documented_types_are_those_of_the_catalogue() -> None:
    rows = re.findall(r"^\| `([a-z_.]+)` \| (.+?) \|", (DOCS / "events.md").read_text(), re.M)
    assert dict(rows) == TYPES
