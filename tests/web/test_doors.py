"""Getting in: the setup link, signing in and out, forms from elsewhere, where one goes next."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from switchboard.access import accounts, login
from tests.web.conftest import Human
from tests.world import PASSWORD, World

FIRST = {"name": "ana", "email": "ana@example.org", "password": PASSWORD}


@pytest.fixture
def setup_path(lib: Any) -> str:
    return f"/setup?token={login.setup_token(lib)}"


@pytest.fixture
def stranger(app: Flask) -> Human:
    return Human(app.test_client(), "nobody")


def set_up(stranger: Human, setup_path: str, **changes: str) -> Any:
    token = setup_path.partition("=")[2]
    fields = {**FIRST, "token": token, **changes}
    return stranger.send("/setup", seen_at=setup_path, **fields)


def test_before_any_account_every_page_leads_to_the_word_about_the_setup_link(
    stranger: Human,
) -> None:
    response = stranger.get("/deliveries", follow_redirects=True)
    assert response.request.path == "/setup"
    assert "setup link printed on the console" in response.text


def test_the_setup_link_makes_an_admin_and_signs_him_in(
    stranger: Human, setup_path: str, lib: Any
) -> None:
    assert set_up(stranger, setup_path).status_code == 302
    assert stranger.get("/").status_code == 200
    assert accounts.everyone(lib)[0]["admin"] is True


def test_the_setup_link_works_once(stranger: Human, setup_path: str) -> None:
    set_up(stranger, setup_path)
    again = stranger.get(setup_path)
    assert again.status_code == 403
    assert "setup_closed" in again.text


def test_a_forged_setup_link_is_refused(stranger: Human, lib: Any) -> None:
    response = stranger.get("/setup?token=first-account.forged")
    assert response.status_code == 403
    assert "not the setup link" in response.text


def test_a_bad_setup_keeps_what_was_typed_but_not_the_password(
    stranger: Human, setup_path: str
) -> None:
    response = set_up(stranger, setup_path, password="short-one")
    assert response.status_code == 422
    assert "at least 10 characters" in response.text
    assert 'value="ana@example.org"' in response.text
    assert "short-one" not in response.text


def test_a_page_asks_to_sign_in_and_goes_on_to_itself(world: World) -> None:
    human = Human(world.app.test_client(), world.account["name"])
    to_login = human.get("/deliveries?status=refused")
    assert to_login.location == "/login?next=/deliveries?status%3Drefused"
    assert human.sign_in(next="/deliveries?status=refused").location == "/deliveries?status=refused"


@pytest.mark.parametrize(
    "wanted",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "///evil.example",
    ],
)
def test_signing_in_never_leads_to_another_site(world: World, wanted: str) -> None:
    human = Human(world.app.test_client(), world.account["name"])
    assert human.sign_in(next=wanted).location == "/"


def test_a_wrong_password_says_no_more_than_a_wrong_name(world: World) -> None:
    human = Human(world.app.test_client(), world.account["name"])
    wrong = human.send("/login", name="ana", password="not the password")
    nobody = human.send("/login", name="nobody", password="not the password")
    assert wrong.status_code == nobody.status_code == 401
    sentence = "The name or the password is wrong. (unauthenticated)"
    assert sentence in wrong.text and sentence in nobody.text


def test_too_many_tries_say_when_to_come_back(world: World) -> None:
    human = Human(world.app.test_client(), world.account["name"])
    token = human.token("/login")
    for _ in range(10):
        human.client.post("/login", data={"csrf_token": token, "name": "ana", "password": "no"})
    response = human.client.post(
        "/login", data={"csrf_token": token, "name": "ana", "password": PASSWORD}
    )
    assert response.status_code == 429
    assert int(response.headers["Retry-After"]) > 0


def test_signing_out_ends_the_session(ana: Human) -> None:
    ana.send("/logout", seen_at="/")
    assert ana.get("/").location == "/login"


def test_signing_in_starts_a_session_of_its_own(world: World) -> None:
    human = Human(world.app.test_client(), world.account["name"])
    with human.client.session_transaction() as session:
        session["planted"] = "by somebody else"
    human.sign_in()
    with human.client.session_transaction() as session:
        assert "planted" not in session


def test_a_disabled_account_is_out_at_its_next_click(world: World, bob: Human) -> None:
    accounts.disable(world.lib, "bob")
    assert bob.get("/").status_code == 302


def test_a_session_cookie_is_out_of_reach_of_scripts_and_other_sites(world: World) -> None:
    human = Human(world.app.test_client(), world.account["name"])
    cookie = human.sign_in().headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie


FORMS = [
    "/authorize/consent",
    "/settings/endpoints/ep_x/programs/et_x/end",
    "/login",
    "/logout",
    "/settings/connections",
    "/settings/connections/cn_x/edit",
    "/settings/connections/cn_x/secret",
    "/settings/connections/cn_x/test",
    "/settings/connections/cn_x/delete",
    "/settings/sources",
    "/settings/sources/sr_x/grants",
    "/settings/sources/sr_x/rules",
    "/settings/sources/sr_x/secret",
    "/settings/sources/sr_x/test",
    "/settings/sources/sr_x/pause",
    "/settings/endpoints",
    "/settings/endpoints/ep_x/revoke",
    "/settings/endpoints/quick",
    "/settings/endpoints/ep_x/hook",
    "/settings/endpoints/ep_x/hook/rotate",
    "/settings/endpoints/ep_x/hook/test",
    "/settings/endpoints/ep_x/hook/remove",
    "/todos/td_x/retry",
    "/todos/td_x/comments",
    "/threads",
    "/threads/th_x/comments",
    "/threads/th_x/adopt",
    "/deliveries/dl_x/replay",
    "/question",
    "/question/elsewhere",
    "/sessions/sn_x/pause",
    "/settings/sinks",
    "/settings/sinks/sk_x/edit",
    "/settings/sinks/sk_x/test",
    "/settings/sinks/sk_x/delete",
    "/settings/account/language",
    "/settings/account/mails/withdraw",
    "/settings/account/mails/th_x/withdraw",
]


@pytest.mark.parametrize("path", FORMS)
def test_a_form_without_its_token_is_refused(ana: Human, path: str) -> None:
    response = ana.client.post(path, data={"name": "ana", "password": PASSWORD})
    assert response.status_code == 403
    assert "did not come from a page of this session" in response.text


def test_every_form_of_the_pages_is_in_the_list_above(app: Flask) -> None:
    posts = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.") and "POST" in (rule.methods or ())
    }
    adapter = app.url_map.bind("localhost")
    listed = {adapter.match(path, method="POST")[0] for path in FORMS}
    assert posts - listed == {"pages.setup"}  # which is closed while ana is there


def test_json_routes_need_no_form_token(world: World) -> None:
    assert world.deliver(world.issue(1)).status_code == 202
    assert world.agent("POST", "/todos/claim-next").status_code == 200


def test_a_copied_cookie_is_worth_nothing_after_signing_out(ana: Human) -> None:
    kept = ana.client.get_cookie("session")
    assert kept is not None
    ana.send("/logout", seen_at="/")
    ana.client.set_cookie("session", kept.value)
    assert ana.get("/").status_code == 302
