"""Programs that a human let work as an endpoint: what they may, for how long, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from switchboard.access import accounts, login, oauth, oauth_programs
from switchboard.access.endpoints import Vended
from switchboard.access.oauth import Asking
from switchboard.access.principals import Operator
from switchboard.errors import Invalid, NotFound, RateLimited
from switchboard.lib import clock
from switchboard.models import Account, EndpointToken, OAuthClient, OAuthCode
from tests.world import World

BACK = "http://127.0.0.1:3030/callback"


def who(world: World, name: str = "ana") -> Operator:
    assert world.account
    return login.with_token(world.lib, accounts.mint_token(world.lib, name))


def registered(world: World, id: str = "program-1", **said: Any) -> str:
    details = {"client_name": "Inspector", "redirect_uris": [BACK]}
    oauth_programs.register(world.lib, id, details | said, None)
    return id


def asks(world: World, endpoint: Vended | None = None, client_id: str = "program-1") -> Asking:
    vended = endpoint or world.endpoint
    return Asking(client_id, BACK, True, "c" * 43, "state", vended.endpoint["mcp_url"])


def let_in(world: World, verbs: tuple[str, ...] = ("drain",), **wanted: Any) -> str:
    """A program's token."""
    registered(world)
    code = oauth.grant(world.lib, who(world), asks(world), verbs, **wanted)
    made = oauth.exchange(world.lib, "program-1", code)
    assert made is not None
    return made[0]


def call(
    world: World, token: str, method: str = "GET", path: str = "/whoami", body: Any = None
) -> Any:
    return world._call(method, path, body, token)


def test_a_program_works_as_the_endpoint_with_the_verbs_it_was_granted(world: World) -> None:
    assert world.source and world.connection
    token = let_in(world)
    found = call(world, token)
    assert (found.status_code, found.json["verbs"]) == (200, ["drain"])
    world.deliver(world.issue(1))
    todo = call(world, token, "POST", "/todos/claim-next")
    assert todo.status_code == 200
    path = f"/todos/{todo.json['id']}/replies"
    assert call(world, token, "POST", path, {"text": "x"}).json["code"] == "forbidden"
    assert world.agent("POST", path, {"text": "x"}).status_code == 202


def test_tokens_and_codes_are_stored_hashed(world: World) -> None:
    registered(world)
    code = oauth.grant(world.lib, who(world), asks(world), ["drain"])
    made = oauth.exchange(world.lib, "program-1", code)
    assert made is not None
    with world.lib.db.read() as session:
        hashes = [
            *session.scalars(select(OAuthCode.hash)),
            *session.scalars(select(EndpointToken.hash)),
        ]
    assert len(hashes) == 2 and not {code, made[0]} & set(hashes)


def test_a_code_is_good_once_and_one_that_comes_twice_ends_its_token(world: World) -> None:
    registered(world)
    code = oauth.grant(world.lib, who(world), asks(world), ["drain"])
    made = oauth.exchange(world.lib, "program-1", code)
    assert made is not None and call(world, made[0]).status_code == 200
    assert oauth.exchange(world.lib, "program-1", code) is None
    assert call(world, made[0]).status_code == 401


def test_a_code_seen_again_before_its_exchange_ends_the_token_too(world: World) -> None:
    registered(world)
    code = oauth.grant(world.lib, who(world), asks(world), ["drain"])
    assert oauth.code(world.lib, "program-1", code) is not None
    made = oauth.exchange(world.lib, "program-1", code)
    assert oauth.code(world.lib, "program-1", code) is None
    assert made is not None and call(world, made[0]).status_code == 401


def test_a_code_of_another_program_or_an_old_one_is_none(world: World) -> None:
    registered(world)
    registered(world, "program-2")
    code = oauth.grant(world.lib, who(world), asks(world), ["drain"])
    assert oauth.code(world.lib, "program-2", code) is None
    assert oauth.exchange(world.lib, "program-2", code) is None
    with world.lib.db.write() as session:
        session.execute(update(OAuthCode).values(expires_at=clock.ago(1)))
    assert oauth.exchange(world.lib, "program-1", code) is None


@pytest.mark.parametrize("how", ["token", "endpoint", "expired", "human", "program"])
def test_a_token_ends(world: World, how: str) -> None:
    token = let_in(world)
    assert call(world, token).status_code == 200
    if how == "token":
        with world.lib.db.write() as session:
            session.execute(update(EndpointToken).values(revoked_at=clock.now()))
    elif how == "endpoint":
        world.operator("DELETE", "/endpoints/fixer")
    elif how == "expired":
        with world.lib.db.write() as session:
            session.execute(update(EndpointToken).values(expires_at=clock.ago(1)))
    elif how == "human":
        endpoint_id = world.endpoint.endpoint["id"]
        [program] = oauth.programs(world.lib, who(world))[endpoint_id]
        oauth.shut_out(world.lib, who(world), endpoint_id, program["id"])
        assert oauth.programs(world.lib, who(world)) == {}
    else:
        oauth.revoke(world.lib, token)
    assert call(world, token).status_code == 401
    if how != "endpoint":
        assert world.agent("GET", "/whoami").status_code == 200


def test_a_token_ends_with_the_human_who_granted_it(world: World) -> None:
    accounts.create(world.lib, accounts.NewAccount("root", "root@example.org"))
    token = let_in(world)
    with world.lib.db.write() as session:
        session.execute(
            update(Account).where(Account.name == "ana").values(disabled_at=clock.now())
        )
    assert call(world, token).status_code == 403


def test_letters_of_everybody_behind_a_token_are_needed_for_a_reply(world: World) -> None:
    assert world.connection and world.source
    token = let_in(world, ("drain", "reply"))
    world.deliver(world.issue(1))
    todo = call(world, token, "POST", "/todos/claim-next").json
    with world.lib.db.write() as session:
        session.execute(update(Account).values(letters="n"))
    answer = call(world, token, "POST", f"/todos/{todo['id']}/replies", {"text": "x"})
    assert (answer.status_code, answer.json["code"]) == (403, "missing_capability")


@pytest.mark.parametrize("verbs", [(), ("webhook",), ("drain", "connection"), ("eat",)])
def test_no_more_than_the_endpoints_verbs_can_be_granted(
    world: World, verbs: tuple[str, ...]
) -> None:
    registered(world)
    with pytest.raises(Invalid):
        oauth.grant(world.lib, who(world), asks(world), verbs)


def test_nobody_lets_a_program_into_anothers_endpoint(world: World) -> None:
    assert world.endpoint
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    registered(world)
    mine = world.endpoint.endpoint
    for resource in (mine["mcp_url"], "https://evil.example/mcp/x", "x\0", None):
        asking = Asking("program-1", BACK, True, "c" * 43, None, resource)
        with pytest.raises(NotFound):
            oauth.grant(world.lib, who(world, "ben"), asking, ["drain"])


def test_the_endpoint_is_named_by_its_whole_url(world: World) -> None:
    registered(world)
    url, slug = world.endpoint.endpoint["mcp_url"], world.endpoint.endpoint["slug"]
    for resource in (url, f"{url}/", url.replace("http://", "HTTP://")):
        asking = Asking("program-1", BACK, True, "c" * 43, None, resource)
        assert oauth.offered(world.lib, who(world), asking).slug == slug
    for resource in (
        slug,
        f"/mcp/{slug}",
        f"https://evil.example/mcp/{slug}",
        f"{url}\0",
        f"{url}//",
    ):
        asking = Asking("program-1", BACK, True, "c" * 43, None, resource)
        with pytest.raises(NotFound):
            oauth.offered(world.lib, who(world), asking)


def test_a_member_lets_nobody_in(world: World) -> None:
    accounts.create(world.lib, accounts.NewAccount("root", "root@example.org"))
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ana", "owner")
    accounts.add_member(world.lib, "core", "ben", "member")
    shared = world.vend("shared", owner="core")
    registered(world)
    with pytest.raises(NotFound):
        oauth.grant(world.lib, who(world, "ben"), asks(world, shared), ["drain"])
    code = oauth.grant(world.lib, who(world), asks(world, shared), ["drain"])
    made = oauth.exchange(world.lib, "program-1", code)
    assert made is not None
    token_id = oauth.programs(world.lib, who(world))[shared.endpoint["id"]][0]["id"]
    assert oauth.programs(world.lib, who(world, "ben")) == {}
    with pytest.raises(NotFound):
        oauth.shut_out(world.lib, who(world, "ben"), shared.endpoint["id"], token_id)


REDIRECTS = {
    "https://client.example.org/callback": True,
    "http://127.0.0.1:1/x": True,
    "http://localhost:1/x": True,
    "http://[::1]:1/x": True,
    "cursor://anysphere.cursor/callback": True,
    "com.example.app:/callback": True,
    "http://client.example.org/callback": False,
    "http://127.0.0.1.example.org/": False,
    "https://user@client.example.org/": False,
    "https://client.example.org/#x": False,
    "https://client.example.org;script-src": False,
    "https://client.example.org,x/": False,
    "https://client.example.org:port/": False,
    "javascript:alert(1)": False,
    "JavaScript:alert(1)": False,
    "data:text/html,x": False,
    "file:///etc/passwd": False,
    "//client.example.org/": False,
    "https://": False,
    "https://[": False,
    "": False,
    "https://client.example.org/" + "a" * 2000: False,
    "https://client.example.org/\r\nX: y": False,
}


def test_only_what_can_be_a_redirect_is_registered(world: World, subtests: pytest.Subtests) -> None:
    for number, (uri, fine) in enumerate(REDIRECTS.items()):
        with subtests.test(uri=uri[:40]):
            if fine:
                registered(world, f"p{number}", redirect_uris=[uri])
            else:
                with pytest.raises(Invalid):
                    registered(world, f"p{number}", redirect_uris=[uri])
    with pytest.raises(Invalid):
        registered(world, "many", redirect_uris=[BACK] * 11)
    with pytest.raises(Invalid):
        registered(world, "none", redirect_uris=[])


def test_registrations_are_few_at_once_and_the_unused_are_forgotten(world: World) -> None:
    for _ in range(20):
        oauth_programs.charge_registration(world.lib)
    with pytest.raises(RateLimited):
        oauth_programs.charge_registration(world.lib)
    registered(world, "old")
    with world.lib.db.write() as session:
        session.execute(update(OAuthClient).values(created_at=clock.ago(100_000)))
    registered(world, "new")
    with world.lib.db.read() as session:
        assert session.scalars(select(OAuthClient.id)).all() == ["new"]


def test_a_stranger_who_registers_many_keeps_nobody_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = let_in(world)
    monkeypatch.setattr(oauth_programs, "MOST_UNUSED", 3)
    for number in range(5):
        registered(world, f"many-{number}")
    kept = [f"many-{n}" for n in range(5) if oauth_programs.client(world.lib, f"many-{n}")]
    assert kept == ["many-2", "many-3", "many-4"]
    assert call(world, token).status_code == 200
    assert oauth_programs.client(world.lib, "program-1") is not None


def test_what_no_database_takes_is_taken_by_none(world: World) -> None:
    registered(world, "nul", client_name="a\0b", software_id="\0", jwks={"\0": ["\0"]})
    found = oauth_programs.client(world.lib, "nul")
    assert found is not None and "\0" not in found.name + str(found.details)
    for client_id in ("\0", "nul\0", "", "x" * 65):
        assert oauth_programs.client(world.lib, client_id) is None


def test_a_clients_secret_is_sealed(world: World) -> None:
    details = {"client_name": "x", "redirect_uris": [BACK]}
    oauth_programs.register(world.lib, "p", details, "canary-0123456789")
    with world.lib.db.read() as session:
        [sealed] = session.scalars(select(OAuthClient.secret_sealed))
    assert sealed and "canary" not in sealed
    found = oauth_programs.client(world.lib, "p")
    assert found is not None and found.secret == "canary-0123456789"
    assert "canary" not in repr(found)


def test_what_is_asked_travels_signed_and_not_for_long(world: World) -> None:
    asking = asks(world)
    sealed = oauth.seal(world.lib, asking)
    assert oauth.opened(world.lib, sealed) == asking
    for bad in (sealed + "x", sealed[1:], "", "a.b.c"):
        with pytest.raises(Invalid):
            oauth.opened(world.lib, bad)


def test_letting_in_and_shutting_out_are_in_the_event_log(world: World) -> None:
    let_in(world)
    endpoint_id = world.endpoint.endpoint["id"]
    [program] = oauth.programs(world.lib, who(world))[endpoint_id]
    oauth.shut_out(world.lib, who(world), endpoint_id, program["id"])
    found = world.operator("GET", f"/events?about={endpoint_id}").json["events"]
    assert [each["type"] for each in found][:2] == [
        "endpoint.program_shut_out", "endpoint.program_let_in"]  # fmt: skip
    assert found[1]["data"] == {"program": "Inspector", "verbs": ["drain"]}
