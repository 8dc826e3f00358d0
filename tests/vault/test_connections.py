"""Connections over the operator API: six routes, no secret in any answer, nobody else's in sight."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select, update

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.models import Connection, Endpoint
from switchboard.vault import connections
from tests.servers import wait_until
from tests.standins.github import GitHubStandIn
from tests.world import CONNECTION_SECRET, World

SHAPE = {
    "id", "name", "kind", "owner", "account_key", "fingerprint", "targets", "endpoints",
    "endpoint_ids", "signature", "replies_per_todo", "created_at", "rotated_at", "last_used_at",
    "last_test", "closed_until",
}  # fmt: skip
NEW = {"kind": "github", "name": "gh", "account_key": "github.com", "secret": "a-secret-value"}


def add(world: World, **changes: Any) -> Any:
    return world.operator("POST", "/connections", NEW | changes)


def rows(world: World) -> int:
    with world.lib.db.read() as session:
        return len(session.scalars(select(Connection)).all())


def test_the_six_routes_do_what_they_say(
    world: World, github: GitHubStandIn, subtests: pytest.Subtests
) -> None:
    with subtests.test("add"):
        made = add(world, config={"targets": ["acme/*"], "signature": "-- us"})
        assert (made.status_code, set(made.json)) == (201, SHAPE)
        assert made.json["fingerprint"] == "".join(fingerprint(NEW["secret"]))
        assert made.json["owner"] == {"account": "ana"}
    id = made.json["id"]
    with subtests.test("list"):
        listed = world.operator("GET", "/connections").json
        assert listed == {"connections": [made.json], "next": None}
    with subtests.test("edit"):
        edited = world.operator("PATCH", f"/connections/{id}", {"config": {"targets": []}}).json
        assert (edited["targets"], edited["signature"]) == ([], "-- us")
    with subtests.test("rotate"):
        rotated = world.operator("PUT", f"/connections/{id}/secret", {"secret": "another"})
        assert (rotated.status_code, rotated.data) == (204, b"")
        [now] = world.operator("GET", "/connections").json["connections"]
        assert now["fingerprint"] == fingerprint("another") and now["rotated_at"]
    with subtests.test("test"):
        tested = world.operator("POST", f"/connections/{id}/test").json
        assert set(tested) == {"at", "ok", "class", "code", "identity", "bot_id"}
        assert (tested["ok"], tested["identity"]) == (True, "switchboard-bot")
        assert github.requests[-1].headers["authorization"] == "Bearer another"
    with subtests.test("delete"):
        assert world.operator("DELETE", f"/connections/{id}").status_code == 204
        assert world.operator("GET", "/connections").json["connections"] == []


def fingerprint(secret: str) -> str:
    import hashlib

    return hashlib.sha256(secret.encode()).hexdigest()[:12]


def test_a_test_tells_what_is_wrong(world: World, github: GitHubStandIn) -> None:
    github.program("bad_credentials", "user")
    add(world)
    tested = world.operator("POST", "/connections/gh/test").json
    assert (tested["ok"], tested["class"], tested["code"]) == (False, "auth", "401")
    [listed] = world.operator("GET", "/connections").json["connections"]
    assert listed["last_test"] == tested


def test_a_connection_is_tested_six_times_a_minute_at_most(world: World) -> None:
    """Three at once, then one every twenty seconds."""
    add(world)
    answers = [world.operator("POST", "/connections/gh/test") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200] * 3 + [429]
    assert 15 <= answers[3].json["retry_after"] <= 20


def test_a_provider_that_shows_the_token_has_it_shown_nowhere(
    world: World, github: GitHubStandIn
) -> None:
    secret = "canary-that-comes-back-0123456789"
    made = add(world, secret=secret)
    github.program("user_mirrored", "user")
    tested = world.operator("POST", "/connections/gh/test")
    assert (tested.json["ok"], tested.json["identity"]) == (True, None)
    assert [each.answer for each in github.requests] == ["user_mirrored"]
    everywhere = [
        tested.text,
        world.operator("GET", "/connections").text,
        world.operator("GET", f"/events?about={made.json['id']}").text,
    ]
    assert not [text for text in everywhere if secret[:12] in text]


def test_a_test_of_a_credential_that_was_replaced_meanwhile_is_not_kept(
    world: World, github: GitHubStandIn
) -> None:
    add(world)
    github.program("hang_after_write", "user")
    with ThreadPoolExecutor(1) as pool:
        test = pool.submit(world.app.test_client().post, "/api/v1/connections/gh/test",
                           headers={"Authorization": f"Bearer {world.operator_token}"})  # fmt: skip
        wait_until(lambda: github.requests)
        world.operator("PUT", "/connections/gh/secret", {"secret": "another"})
        github.release()
        answer = test.result()
    assert (answer.status_code, answer.json["code"]) == (409, "conflict")
    [kept] = world.operator("GET", "/connections").json["connections"]
    assert kept["last_test"] is None


BAD = {
    "an unknown kind": ({"kind": "gitlab"}, "kind"),
    "a NUL in the kind": ({"kind": "github\x00"}, "kind"),
    "no secret": ({"secret": " "}, "secret"),
    "a secret of two lines": ({"secret": "a\nb"}, "secret"),
    "a secret that is no ASCII": ({"secret": "sécret"}, "secret"),
    "an endless secret": ({"secret": "x" * 5000}, "secret"),
    "a name with a slash": ({"name": "a/b"}, "name"),
    "a NUL in the name": ({"name": "a\x00"}, "name"),
    "a name of 65": ({"name": "x" * 65}, "name"),
    "a number for a name": ({"name": 7}, "name"),
    "a host that is none": ({"account_key": "https://["}, "account_key"),
    "a host with a user": ({"account_key": "https://a@github.com"}, "account_key"),
    "an endless host": ({"account_key": "x" * 300}, "account_key"),
    "a strange owner": ({"owner": {"account": "ana", "team": "core"}}, "owner"),
    "an owner that is none": ({"owner": {"account": ["ana"]}}, "owner"),
    "a blank target": ({"config": {"targets": ["acme/*", " "]}}, "targets"),
    "a blank endpoint": ({"config": {"endpoints": [""]}}, "endpoints"),
    "a cap of none": ({"config": {"replies_per_todo": 0}}, "config"),
    "a target of two lines": ({"config": {"targets": ["a\nb"]}}, "targets"),
    "too many targets": ({"config": {"targets": ["a/b"] * 101}}, "targets"),
    "a signature of two lines": ({"config": {"signature": "a\nb"}}, "signature"),
    "an endless signature": ({"config": {"signature": "x" * 201}}, "signature"),
    "a foreign endpoint": ({"config": {"endpoints": ["nobody"]}}, "endpoints"),
    "a NUL endpoint": ({"config": {"endpoints": ["a\x00"]}}, "endpoints"),
    "a surrogate endpoint": ({"config": {"endpoints": ["a\ud800"]}}, "endpoints"),
    "a list for a body": ([], None),
}


def test_bad_input_is_refused_beside_its_field_and_stores_nothing(
    world: World, subtests: pytest.Subtests
) -> None:
    for what, (changes, field) in BAD.items():
        with subtests.test(what):
            body = NEW | changes if isinstance(changes, dict) else changes
            answer = world.operator("POST", "/connections", body)
            assert (answer.status_code, answer.json["code"]) == (422, "invalid_argument")
            assert answer.json.get("field") == field
            assert NEW["secret"] not in answer.text
    assert rows(world) == 0


def test_an_owner_that_is_not_there_is_not_found(world: World, subtests: pytest.Subtests) -> None:
    for owner in ["nobody", "x\x00", "\ud800", "a b"]:
        with subtests.test(owner=owner):
            answer = add(world, owner={"account": owner})
            assert (answer.status_code, answer.json["code"]) == (404, "not_found")


@pytest.mark.setting(ALLOW_HTTP="0")
@pytest.mark.parametrize("scheme", ["http", "HTTP"])
def test_plain_http_needs_the_setting(world: World, scheme: str) -> None:
    answer = add(world, account_key=f"{scheme}://ghe.example")
    assert (answer.status_code, answer.json["field"]) == (422, "account_key")


def test_one_owner_has_one_connection_an_account_and_a_name(world: World) -> None:
    assert add(world).status_code == 201
    for changes in ({"name": "other"}, {"account_key": "ghe.example"},
                    {"name": "other", "account_key": "https://GitHub.com/"}):  # fmt: skip
        answer = add(world, **changes)
        assert (answer.status_code, answer.json["code"]) == (409, "conflict")
    assert add(world, name="other", account_key="ghe.example").status_code == 201


def test_a_foreign_connection_looks_like_an_unknown_one(
    world: World, subtests: pytest.Subtests
) -> None:
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    assert world.account
    theirs = connections.add(world.lib, Machine(), connections.NewConnection(**NEW, owner="ben"))
    routes = [
        ("PATCH", "", {"name": "mine"}),
        ("PUT", "/secret", {"secret": "stolen"}),
        ("DELETE", "", None),
        ("POST", "/test", None),
    ]
    for method, tail, body in routes:
        for ref in (theirs["id"], "gh"):
            with subtests.test(f"{method}{tail} {ref[:3]}"):
                mine = world.operator(method, f"/connections/{ref}{tail}", body)
                unknown = world.operator(method, f"/connections/nothing{tail}", body)
                assert (mine.status_code, mine.data) == (404, unknown.data)
    assert world.operator("GET", "/connections").json["connections"] == []
    assert rows(world) == 1


def test_without_a_key_nothing_is_stored(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from switchboard.lib.crypto import Sealer

    assert world.operator_token
    monkeypatch.setitem(world.lib.__dict__, "sealer", Sealer(None))
    answer = add(world)
    assert (answer.status_code, answer.json["code"]) == (409, "encryption_required")
    assert rows(world) == 0
    answer = world.operator("POST", "/sources", {"kind": "github", "name": "s"})
    assert (answer.status_code, answer.json["code"]) == (409, "encryption_required")
    assert world.operator("GET", "/sources").json["sources"] == []


def test_a_ciphertext_moved_to_another_row_does_not_open(
    world: World, github: GitHubStandIn
) -> None:
    assert world.connection
    world.connect("other", account_key="ghe.example", secret="of-the-other")
    with world.lib.db.write() as session:
        sealed = session.scalar(select(Connection.secret).where(Connection.name == "other"))
        session.execute(update(Connection).where(Connection.name == "octo").values(secret=sealed))
    answer = world.operator("POST", "/connections/octo/test")
    assert (answer.status_code, answer.json["code"]) == (409, "encryption_required")
    assert github.requests == []


def test_a_secret_is_sealed_in_its_column(world: World) -> None:
    assert world.connection
    with world.lib.db.read() as session:
        [sealed] = session.scalars(select(Connection.secret)).all()
    assert sealed.startswith("enc:v1:") and CONNECTION_SECRET not in sealed


def test_a_damaged_secret_is_a_clean_refusal(world: World, subtests: pytest.Subtests) -> None:
    for damaged in ["", "enc:v1:", "enc:v1:AAAA", "enc:v1:!", "plain"]:
        with subtests.test(damaged=damaged):
            assert world.connection
            with world.lib.db.write() as session:
                session.execute(update(Connection).values(secret=damaged))
            answer = world.operator("POST", "/connections/octo/test")
            assert (answer.status_code, answer.json["code"]) == (409, "encryption_required")


def test_an_expired_endpoint_is_not_put_on_an_allowlist(world: World) -> None:
    vended = world.vend("brief", expires_in=60)
    with world.lib.db.write() as session:
        session.execute(update(Endpoint).values(expires_at=clock.ago(1)))
    body = {"config": {"endpoints": [vended.endpoint["id"]]}}
    answer = world.operator("PATCH", f"/connections/{world.connection['id']}", body)
    assert (answer.status_code, answer.json["field"]) == (422, "endpoints")
