"""Operators see and change what is theirs; in a team, members look and owners and admins configure."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import update

from switchboard.access import accounts, endpoints
from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.models import Account, Membership, Token
from tests.world import World


@pytest.fixture
def core(world: World) -> World:
    """Ana owns the team core, ben is its member, with one of everything in it."""
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    accounts.add_member(world.lib, "core", "ben", "member")
    world.vend("shared", owner="core")
    world.add_source("shared", owner="core")
    world.connect("shared", owner="core")
    return world


def call(world: World, token: str, method: str, path: str, body: Any = None) -> Any:
    return world._call(method, path, body, token)


CHANGES = [
    ("POST", "/connections", {"owner": {"team": "core"}, "kind": "github", "name": "x",
                              "account_key": "ghe.example", "secret": "a-secret"}),
    ("PATCH", "/connections/shared", {"name": "renamed"}),
    ("PUT", "/connections/shared/secret", {"secret": "another"}),
    ("POST", "/connections/shared/test", None),
    ("DELETE", "/connections/shared", None),
    ("POST", "/sources", {"owner": {"team": "core"}, "kind": "github", "name": "x"}),
    ("PATCH", "/sources/shared", {"state": "paused"}),
    ("PUT", "/sources/shared/secret", {}),
    ("POST", "/sources/shared/rules/dry-run", {}),
    ("POST", "/sources/shared/test", None),
    ("DELETE", "/sources/shared", None),
    ("POST", "/endpoints", {"owner": {"team": "core"}, "name": "x"}),
    ("DELETE", "/endpoints/shared", None),
]  # fmt: skip


def test_a_member_sees_and_changes_nothing(core: World, subtests: pytest.Subtests) -> None:
    token = accounts.mint_token(core.lib, "ben")
    for noun in ("connections", "sources", "endpoints"):
        with subtests.test(f"sees {noun}"):
            listed = call(core, token, "GET", f"/{noun}").json[noun]
            assert [each["name"] for each in listed] == ["shared"]
    for method, path, body in CHANGES:
        with subtests.test(f"{method} {path}"):
            answer = call(core, token, method, path, body)
            assert (answer.status_code, answer.json["code"]) == (403, "forbidden")


def test_a_member_is_not_shown_where_a_source_is_posted_to(core: World) -> None:
    token = accounts.mint_token(core.lib, "ben")
    [seen] = call(core, token, "GET", "/sources").json["sources"]
    assert (seen["ingest_url"], seen["steps"], seen["configurable"]) == (None, [], False)
    [owned] = core.operator("GET", "/sources").json["sources"]
    assert owned["ingest_url"] and owned["steps"] and owned["configurable"]
    assert seen["fingerprint"] and seen["fingerprint"] == owned["fingerprint"]


def test_an_owner_of_the_team_changes_all_of_it(core: World, subtests: pytest.Subtests) -> None:
    for method, path, body in CHANGES:
        with subtests.test(f"{method} {path}"):
            # the first change renames the connection that the later ones mean
            path = path if body == {"name": "renamed"} else path.replace("ns/shared", "ns/renamed")
            assert core.operator(method, path, body).status_code < 300


def test_a_stranger_sees_nothing_of_the_team(core: World, subtests: pytest.Subtests) -> None:
    accounts.create(core.lib, accounts.NewAccount("eve", "eve@example.org"))
    token = accounts.mint_token(core.lib, "eve")
    for noun in ("connections", "sources", "endpoints", "deliveries", "todos"):
        with subtests.test(f"sees {noun}"):
            assert call(core, token, "GET", f"/{noun}").json[noun] == []
    for method, path, body in CHANGES:
        with subtests.test(f"{method} {path}"):
            assert call(core, token, method, path, body).status_code == 404


def test_a_name_that_two_owners_use_is_not_guessed(core: World) -> None:
    assert core.connection
    core.connect("shared", account_key="ghe.example")
    answer = core.operator("DELETE", "/connections/shared")
    assert (answer.status_code, answer.json["code"]) == (409, "conflict")
    assert len(core.operator("GET", "/connections").json["connections"]) == 3


def test_a_stranger_finds_no_todo_to_read_or_retry(core: World) -> None:
    assert core.deliver(core.issue(1)).status_code == 202
    [todo] = core.agent("GET", "/todos").json["todos"]
    accounts.create(core.lib, accounts.NewAccount("eve", "eve@example.org"))
    token = accounts.mint_token(core.lib, "eve")
    for method, path in (("GET", ""), ("POST", "/retry")):
        found = call(core, token, method, f"/todos/{todo['id']}{path}")
        unknown = call(core, token, method, f"/todos/td_01K00000000000000000000000{path}")
        assert (found.status_code, found.data) == (404, unknown.data)


def test_a_foreign_delivery_looks_like_an_unknown_one(core: World) -> None:
    id = core.deliver(core.issue(1)).json["delivery"]
    accounts.create(core.lib, accounts.NewAccount("eve", "eve@example.org"))
    token = accounts.mint_token(core.lib, "eve")
    found = call(core, token, "GET", f"/deliveries/{id}")
    unknown = call(core, token, "GET", "/deliveries/dl_01K00000000000000000000000")
    assert (found.status_code, found.data) == (404, unknown.data)


def test_only_admins_see_requests_to_unknown_tokens(core: World) -> None:
    core.client.post("/hooks/unknown", json={})
    assert [row["code"] for row in core.log()] == ["unknown_source"]
    token = accounts.mint_token(core.lib, "ben")
    assert call(core, token, "GET", "/deliveries").json["deliveries"] == []


def test_vending_the_reply_verb_needs_the_letter(world: World) -> None:
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    token = accounts.mint_token(world.lib, "ben")
    answer = call(world, token, "POST", "/endpoints", {"name": "x", "verbs": ["drain", "reply"]})
    assert (answer.status_code, answer.json["code"]) == (403, "missing_capability")
    assert answer.json["letter"] == "x"
    assert call(world, token, "POST", "/endpoints", {"name": "x"}).status_code == 201


def test_nobody_grants_a_source_a_letter_he_lacks(world: World) -> None:
    body = {"kind": "github", "name": "s", "letters": "nC"}
    answer = world.operator("POST", "/sources", body)
    assert (answer.status_code, answer.json["letter"]) == (403, "C")


def test_what_a_disabled_account_vended_stops(world: World) -> None:
    vended = world.operator("POST", "/endpoints", {"name": "x"}).json
    accounts.disable(world.lib, "ana")
    answer = call(world, vended["credential"], "GET", "/whoami")
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    assert world.operator("GET", "/endpoints").status_code == 401


def test_what_a_removed_team_admin_vended_stops(core: World) -> None:
    body = {"owner": {"team": "core"}, "name": "theirs"}
    vended = core.operator("POST", "/endpoints", body).json
    assert call(core, vended["credential"], "GET", "/whoami").status_code == 200
    accounts.add_member(core.lib, "core", "ana", "member")
    assert call(core, vended["credential"], "GET", "/whoami").status_code == 403


def test_a_revoked_or_expired_endpoint_is_unauthenticated(world: World) -> None:
    vended = world.operator("POST", "/endpoints", {"name": "x", "expires_in": 3600}).json
    assert call(world, vended["credential"], "GET", "/whoami").status_code == 200
    endpoints.revoke(world.lib, Machine(), "x")
    answer = call(world, vended["credential"], "GET", "/whoami")
    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")


def test_an_absurd_expiry_is_refused(world: World, subtests: pytest.Subtests) -> None:
    for seconds in [0, -1, 10**12, 10**30, "60", True]:
        with subtests.test(seconds=seconds):
            answer = world.operator("POST", "/endpoints", {"name": "x", "expires_in": seconds})
            assert (answer.status_code, answer.json["field"]) == (422, "expires_in")


def test_a_revoked_operator_token_is_like_an_unknown_one(world: World) -> None:
    unknown = call(world, "sbp_" + "x" * 43, "GET", "/sources")
    assert world.operator("GET", "/sources").status_code == 200
    with world.lib.db.write() as session:
        session.execute(update(Token).values(revoked_at=clock.now()))
    revoked = world.operator("GET", "/sources")
    assert (revoked.status_code, revoked.data) == (401, unknown.data)
    assert revoked.headers["WWW-Authenticate"] == "Bearer"


def test_the_wrong_kind_of_credential_opens_nothing(world: World) -> None:
    agent, human = world.endpoint.credential, world.operator_token
    for token in (agent, human + "x", human[:-1], "", "sbp_", "é", "sbp_\x01", agent[4:]):
        assert call(world, token, "GET", "/sources").status_code == 401
    for token in (human, agent + "x", "", "sbk_"):
        assert call(world, token, "POST", "/todos/claim-next").status_code == 401


def test_the_scheme_of_a_bearer_has_no_case(world: World) -> None:
    for token in (world.endpoint.credential, world.operator_token):
        headers = {"Authorization": f"bearer {token}"}
        assert world.client.get("/api/v1/todos", headers=headers).status_code == 200


def test_leaving_a_team_ends_the_view_of_it(core: World) -> None:
    token = accounts.mint_token(core.lib, "ben")
    with core.lib.db.write() as session:
        ben = session.query(Account).filter_by(name="ben").one()
        session.query(Membership).filter_by(account_id=ben.id).delete()
    assert call(core, token, "GET", "/sources").json["sources"] == []
