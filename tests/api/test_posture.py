"""Who gets no word out of the box: strangers before setup, foreign names, foreign pages, bare cookies."""

from __future__ import annotations

import re
from typing import Any

import pytest

from switchboard.access import login
from switchboard.config import read_settings
from switchboard.errors import SettingsError
from tests.web.conftest import Human
from tests.world import World

BOARD = "https://board.example.org"


# ── the exposure guard ───────────────────────────────────────────────────────────────────────────


@pytest.mark.setting(HOST="0.0.0.0")
def test_bound_to_all_nothing_but_setup_and_health_answers_until_somebody_has_an_account(
    world: World, subtests: pytest.Subtests
) -> None:
    client = world.client
    for path in ("/setup", "/healthz", "/assets/style.css"):
        assert client.get(path).status_code == 200, path
    for method, path in (
        ("GET", "/"), ("GET", "/login"), ("GET", "/deliveries"), ("POST", "/hooks/x"),
        ("GET", "/api/v1/todos"), ("POST", "/api/v1/r/acme/inbound/ci"), ("POST", "/mcp/x"),
        ("GET", "/.well-known/oauth-authorization-server"), ("GET", "/nothing"),
    ):  # fmt: skip
        with subtests.test(path):
            answer = client.open(path, method=method)
            assert answer.status_code == 403
            assert "setup_required" in answer.text
    form = Human(client, "ana")
    path = f"/setup?token={login.setup_token(world.lib)}"
    made = form.send("/setup", seen_at=path, token=path.partition("=")[2], name="ana",
                     email="ana@example.org", password="a long enough password")  # fmt: skip
    assert made.status_code == 302
    assert client.get("/").status_code == 200
    assert client.get("/api/v1/todos").status_code == 401


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.9.9.9"])
def test_on_this_machine_alone_pages_lead_to_setup_as_ever(world: World, host: str) -> None:
    world.app.extensions["switchboard"].settings.values["HOST"] = host
    assert world.client.get("/").location == "/setup"


# ── the name we are called by ────────────────────────────────────────────────────────────────────


OURS = ["box.example.org", "BOX.example.org:443", "localhost:8080", "127.0.0.1:9", "10.1.2.3",
        "[::1]:8080", "[fd00::7]", "box.example.org.", "web.internal:8080"]  # fmt: skip
FOREIGN = ["evil.example",
           "box.example.org.evil.example", "evilbox.example.org", "localhost.evil.example",
           "evil.example:8080", "a:b:c",
           "2130706433", "0x7f.1", "user@localhost", "[evil.example]"]  # fmt: skip


@pytest.mark.setting(BASE_URL="https://box.example.org", HOST_NAMES="web.internal")
def test_a_foreign_host_is_refused_everywhere_but_where_a_proof_is_asked_for(
    world: World, subtests: pytest.Subtests
) -> None:
    for path in ("/login", "/api/v1/whoami", "/healthz", "/authorize", "/nothing"):
        for host in OURS:
            with subtests.test(f"{path} {host}"):
                assert world.client.get(path, headers={"Host": host}).status_code != 421
        for host in FOREIGN:
            with subtests.test(f"{path} {host}"):
                answer = world.client.get(path, headers={"Host": host})
                assert answer.status_code == 421 and "foreign_host" in answer.text
    assert world.deliver(world.issue(1), headers={"Host": "evil.example"}).status_code == 202


def test_a_good_bearer_does_not_make_a_foreign_name_good(world: World) -> None:
    headers = {"Authorization": f"Bearer {world.operator_token}", "Host": "evil.example"}
    answer = world.client.get("/api/v1/sources", headers=headers)
    assert (answer.status_code, answer.json["code"], answer.json["field"]) == (
        421, "foreign_host", "Host",
    )  # fmt: skip


# ── pages of other sites ─────────────────────────────────────────────────────────────────────────


def cors(answer: Any) -> set[str]:
    return {name for name, _ in answer.headers if name.lower().startswith("access-control")}


PATHS = ["/api/v1/sources", "/login", "/healthz", "/.well-known/oauth-protected-resource/mcp/x",
         "/.well-known/oauth-authorization-server", "/mcp/x"]  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "OPTIONS"])
@pytest.mark.setting(CORS_ORIGINS=BOARD)
def test_a_foreign_origin_gets_no_cors_header(world: World, method: str) -> None:
    for path in PATHS:
        for origin in ("https://evil.example", BOARD + ".evil.example", BOARD.upper(), "null", "*"):
            answer = world.client.open(
                path, method=method,
                headers={"Origin": origin, "Access-Control-Request-Method": "POST"},
            )  # fmt: skip
            assert cors(answer) == set(), (path, origin)


def test_without_the_setting_nobody_gets_one(world: World) -> None:
    for path in PATHS:
        assert cors(world.client.get(path, headers={"Origin": BOARD})) == set()


@pytest.mark.setting(CORS_ORIGINS=f"{BOARD}, http://localhost:3000")
def test_a_listed_origin_may_ask_and_read_with_a_bearer_and_never_with_a_cookie(
    world: World,
) -> None:
    asked = world.client.options(
        "/api/v1/sources",
        headers={"Origin": BOARD, "Access-Control-Request-Method": "POST"},
    )
    assert asked.headers["Access-Control-Allow-Origin"] == BOARD
    assert {"GET", "POST"} <= set(asked.headers["Access-Control-Allow-Methods"].split(", "))
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
    headers = {"Origin": BOARD, "Authorization": f"Bearer {world.operator_token}"}
    read = world.client.get("/api/v1/sources", headers=headers)
    assert read.status_code == 200 and read.headers["Access-Control-Allow-Origin"] == BOARD
    for answer in (asked, read):
        assert "Origin" in answer.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize(
    "given", ["*", "board.example.org", f"{BOARD}/", f"{BOARD}/x", "HTTPS://B.org", "null"]
)
def test_an_origin_that_no_browser_sends_stops_the_start(given: str) -> None:
    with pytest.raises(SettingsError, match="SWITCHBOARD_CORS_ORIGINS"):
        read_settings({"SWITCHBOARD_CORS_ORIGINS": given})


def test_no_answer_may_be_framed(world: World) -> None:
    for path in ("/login", "/api/v1/todos", "/healthz", "/assets/style.css", "/nothing", "/mcp/x"):
        policy = world.client.get(path).headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy, path


# ── cookies on the JSON routes ───────────────────────────────────────────────────────────────────


@pytest.fixture
def page(world: World) -> Human:
    human = Human(world.app.test_client(), world.account["name"])
    assert human.sign_in().status_code == 302
    return human


def call(human: Human, method: str, path: str, token: str | None = None, **wanted: Any) -> Any:
    headers = {} if token is None else {"X-CSRFToken": token}
    return human.client.open(f"/api/v1{path}", method=method, headers=headers, **wanted)


@pytest.mark.parametrize("token", [None, "", "forged", "ImE=.aaaa.bbbb"])
def test_a_cookie_without_the_csrf_header_does_nothing(page: Human, token: str | None) -> None:
    for method, path in (("GET", "/sources"), ("GET", "/todos"), ("GET", "/attention")):
        assert call(page, method, path, token).status_code == 401
    made = call(page, "POST", "/sources", token, json={"kind": "github", "name": "octo"})
    assert (made.status_code, made.json["code"]) == (401, "unauthenticated")
    good = page.token("/settings/sources")
    assert call(page, "GET", "/sources", good).json["sources"] == []


def test_with_it_a_page_of_ours_calls_as_its_human(page: Human) -> None:
    token = page.token("/settings/sources")
    made = call(page, "POST", "/sources", token, json={"kind": "github", "name": "octo"})
    assert made.status_code == 201 and made.json["owner"] == {"account": "ana"}
    assert call(page, "GET", "/todos", token).json["todos"] == []


def test_one_humans_token_does_not_serve_another(world: World, page: Human) -> None:
    other = Human(world.app.test_client(), "ana")
    other.sign_in()
    assert call(page, "GET", "/sources", other.token("/settings/sources")).status_code == 401


def test_a_cookie_is_not_looked_at_beside_a_bearer(page: Human) -> None:
    token = page.token("/settings/sources")
    headers = {"X-CSRFToken": token, "Authorization": "Bearer sbp_wrong"}
    assert page.client.get("/api/v1/sources", headers=headers).status_code == 401


def test_a_token_without_a_cookie_is_nobodys(world: World, page: Human) -> None:
    stranger = Human(world.app.test_client(), "nobody")
    assert call(stranger, "GET", "/sources", page.token("/settings/sources")).status_code == 401
    assert not re.search("Set-Cookie", str(call(stranger, "GET", "/sources").headers))
