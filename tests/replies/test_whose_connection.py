"""At every kind of place: an answer goes through the todo's owner's connection, or nowhere. Nothing is
dialled for a refusal; the stand-in counts.
"""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.errors import Conflict
from switchboard.replies.dial import dial
from switchboard.vault import connections
from tests.replies.places import Place
from tests.world import World


def asked(world: World, place: Place, **source: Any) -> dict[str, Any]:
    """A claimed todo from conversation 7."""
    place.hear(world, place.source(world, **source), place.asks(7))
    return world.claim()


def found_team(world: World) -> None:
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", world.account["name"], "owner")


def refused(world: World, place: Place, todo: dict[str, Any], text: str = "hello") -> str:
    """The code of a refusal that left no row and dialled nobody."""
    answer = world.reply(todo, text)
    assert answer.status_code in (403, 422), answer.data
    assert world.agent("GET", f"/todos/{todo['id']}").json["replies"]["count"] == 0
    assert place.standin.requests == []
    return str(answer.json["code"])


def test_another_owners_connection_never_serves(world: World, place: Place) -> None:
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    todo = asked(world, place)
    place.connect(world, owner="ben")
    assert refused(world, place, todo) == "no_connection"


def test_a_connection_for_another_account_never_serves(world: World, place: Place) -> None:
    todo = asked(world, place)
    place.connect(world, account_key=place.elsewhere)
    assert refused(world, place, todo) == "no_connection"


def test_a_teams_connection_does_not_serve_its_members_own_todos(
    world: World, place: Place
) -> None:
    found_team(world)
    todo = asked(world, place)
    place.connect(world, owner="core")
    assert refused(world, place, todo) == "no_connection"


def test_a_members_connection_does_not_serve_the_teams_todos(world: World, place: Place) -> None:
    found_team(world)
    shared = world.vend("shared", owner="core")
    place.hear(world, place.source(world, owner="core", to=["shared"]), place.asks(7))
    todo = world.claim(by=shared)
    place.connect(world)
    path, body = f"/todos/{todo['id']}/replies", {"text": "hello"}
    answer = world.agent("POST", path, body, by=shared)
    assert (answer.status_code, answer.json["code"]) == (422, "no_connection")
    place.connect(world, "of-the-team", owner="core")
    answer = world.agent("POST", path, body, by=shared)
    assert answer.status_code == 202
    assert place.standin.requests == []


def test_the_same_words_heard_by_two_owners_are_answered_by_each_through_their_own(
    world: World, place: Place
) -> None:
    found_team(world)
    shared = world.vend("shared", owner="core")
    mine, theirs = place.source(world), place.source(world, owner="core", to=["shared"])
    said = place.asks(7)
    place.hear(world, mine, said)
    place.hear(world, theirs, said)
    place.connect(world, "of-the-team", owner="core", secret="canary-of-the-team-0123456789")
    assert refused(world, place, world.claim()) == "no_connection"
    todo = world.claim(by=shared)
    path = f"/todos/{todo['id']}/replies"
    reply_id = world.agent("POST", path, {"text": "hello"}, by=shared).json["reply_id"]
    dial(world.lib, reply_id)
    [post] = place.standin.posts
    assert post.headers["authorization"].endswith(" canary-of-the-team-0123456789")


def test_targets_narrow_where_a_connection_answers(world: World, place: Place) -> None:
    todo = asked(world, place)
    place.connect(world, targets=[place.refuses])
    assert refused(world, place, todo) == "target_not_allowed"
    changes = {"targets": [place.refuses, place.admits]}
    connections.edit(world.lib, Machine(), "answers", changes)
    assert world.reply(todo, "hello").status_code == 202


def test_endpoints_narrow_who_answers_through_a_connection(world: World, place: Place) -> None:
    world.vend("another")
    todo = asked(world, place, to=["fixer"])
    place.connect(world, endpoints=["another"])
    assert refused(world, place, todo) == "target_not_allowed"


def test_a_body_that_names_another_host_has_no_address(world: World, place: Place) -> None:
    source = place.source(world)
    body, headers = place.asks(7)
    for holder, name in (("repository", "html_url"), ("artifact", "url")):
        if holder in body:
            body[holder][name] = (
                f"https://evil.example{body[holder][name].partition('127.0.0.1')[2]}"
            )
    if place.kind == "slack":
        body["team_id"] = "T0EV1L000"
    place.hear(world, source, (body, headers))
    place.connect(world)
    answer = world.reply(world.claim(), "hello")
    assert (answer.status_code, answer.json["code"]) == (409, "no_reply_address")
    assert place.standin.requests == []


@pytest.mark.parametrize("sink", ["gotify", "apprise"])
def test_a_sink_on_the_same_host_is_never_chosen(world: World, place: Place, sink: str) -> None:
    todo = asked(world, place)
    key = place.standin.url.removesuffix("/api")
    world.connect("sink", sink, account_key=key)
    assert refused(world, place, todo) == "no_connection"


def test_one_owner_has_one_connection_an_account_however_it_is_written(
    world: World, place: Place
) -> None:
    place.connect(world)
    again = place.account if place.kind == "slack" else f"{place.account.upper()}/"
    with pytest.raises(Conflict):
        place.connect(world, "again", account_key=again.replace("HTTP:", "http:"))


def test_case_matters_where_a_target_is_an_id_and_not_where_it_is_a_repo(
    world: World, place: Place
) -> None:
    todo = asked(world, place)
    place.connect(world, targets=[place.admits.swapcase()])
    if place.kind in ("cairn", "slack"):
        assert refused(world, place, todo) == "target_not_allowed"
    else:
        assert world.reply(todo, "hello").status_code == 202
