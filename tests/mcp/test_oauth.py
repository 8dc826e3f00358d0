"""The official client's own OAuth flow against a running box, and everything it must not let through."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import html
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import requests
from mcp.client import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from switchboard import create_app
from switchboard.config import read_settings
from tests.conftest import environ_on
from tests.servers import Server, serve
from tests.world import PASSWORD, World

BACK = "http://127.0.0.1:3030/callback"
_TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


@pytest.fixture(scope="module")
def environ(
    tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path, valkey_url: str
) -> dict[str, str]:
    """One box for the module; the store is tested on both databases in `tests/access/test_oauth.py`."""
    return environ_on(tmp_path_factory.mktemp("oauth"), sqlite_template, valkey_url)


@pytest.fixture(scope="module")
def world(environ: dict[str, str]) -> World:
    return World(create_app(read_settings(environ)))


@pytest.fixture(scope="module")
def server(environ: dict[str, str], world: World) -> Iterator[Server]:
    assert world.endpoint
    with serve(environ, processes=1, knows_itself=True) as running:
        yield running


class Browser:
    """Ana's browser: signs in on the way, and answers the consent screen."""

    def __init__(self) -> None:
        self._http = requests.Session()
        self._http.trust_env = False
        self.seen = ""

    def go(self, url: str, **answer: Any) -> str:
        """Follow to the consent screen, answer it (drain, unless told), and return where it leads."""
        page = self._http.get(url, timeout=20)
        if "/login" in page.url:
            form = {"csrf_token": _token(page.text), "name": "ana", "password": PASSWORD}
            page = self._http.post(page.url, data=form, timeout=20)
        assert page.status_code == 200, page.text
        self.seen = html.unescape(page.text)
        usual = {"allow": "yes", "verbs": ["drain"], "expires": ""}
        form = {"csrf_token": _token(page.text), **(answer or usual)}
        answer = self._http.post(page.url, data=form, timeout=20, allow_redirects=False)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]


@pytest.fixture(scope="module")
def browser() -> Browser:
    return Browser()


def _token(page: str) -> str:
    found = _TOKEN.search(page)
    assert found, page
    return found[1]


class Storage:
    """What the official client keeps."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def test_the_official_client_lets_itself_in_and_works(
    server: Server, world: World, browser: Browser
) -> None:
    assert world.source
    assert world.deliver(world.issue(7)).status_code == 202
    storage, came_back = Storage(), []
    url = server.url + urlsplit(world.endpoint.endpoint["mcp_url"]).path

    async def to_browser(where: str) -> None:
        came_back.append(await asyncio.to_thread(browser.go, where))

    async def from_browser() -> AuthorizationCodeResult:
        given = parse_qs(urlsplit(came_back[-1]).query)
        return AuthorizationCodeResult(code=given["code"][0], state=given["state"][0])

    async def work() -> tuple[list[str], Any]:
        metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)], client_name="Inspector <b>")
        auth = OAuthClientProvider(url, metadata, storage, to_browser, from_browser)
        async with (
            httpx2.AsyncClient(auth=auth, trust_env=False, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            tools = [tool.name for tool in (await client.list_tools()).tools]
            return tools, (await client.call_tool("claim_next", {})).structured_content

    tools, todo = asyncio.run(work())
    assert todo["state"] == "claimed"
    assert "claim_next" in tools and "reply" not in tools  # no more than was ticked
    assert len(came_back) == 1 and came_back[0].startswith(BACK)
    assert "Inspector" in browser.seen and world.endpoint.endpoint["name"] in browser.seen
    assert storage.tokens is not None and storage.tokens.access_token.startswith("sbk_")


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────


def post(server: Server, path: str, **wanted: Any) -> requests.Response:
    return requests.post(server.url + path, timeout=20, proxies={"http": ""}, **wanted)


@pytest.fixture(scope="module")
def program(server: Server) -> dict[str, Any]:
    """A registered program without a secret."""
    said = {"redirect_uris": [BACK], "token_endpoint_auth_method": "none", "client_name": "x"}
    answer = post(server, "/register", json=said)
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
def verifier() -> str:
    return secrets.token_urlsafe(48)


def authorize_url(
    server: Server, world: World, program: dict[str, Any], verifier: str, **changes: str | None
) -> str:
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=")
    given: dict[str, str | None] = {
        "response_type": "code",
        "client_id": program["client_id"],
        "redirect_uri": BACK,
        "code_challenge": challenge.decode(),
        "code_challenge_method": "S256",
        "state": "st",
        "resource": server.url + urlsplit(world.endpoint.endpoint["mcp_url"]).path,
        **changes,
    }
    kept = {name: value for name, value in given.items() if value is not None}
    prepared = requests.Request("GET", server.url + "/authorize", params=kept).prepare().url
    assert prepared is not None
    return prepared


def code_of(location: str) -> str:
    return parse_qs(urlsplit(location).query)["code"][0]


def exchange(
    server: Server, program: dict[str, Any], code_: str, verifier: str, **changes: str | None
) -> requests.Response:
    given: dict[str, str | None] = {
        "grant_type": "authorization_code",
        "code": code_,
        "redirect_uri": BACK,
        "client_id": program["client_id"],
        "code_verifier": verifier,
        **changes,
    }
    kept = {name: value for name, value in given.items() if value is not None}
    return post(server, "/token", data=kept)


def whoami(server: Server, token: str) -> int:
    return server.call("GET", "/api/v1/whoami", headers={"Authorization": f"Bearer {token}"}).status


def test_a_code_is_exchanged_once_and_its_token_revoked(
    server: Server, world: World, program: dict[str, Any], verifier: str, browser: Browser
) -> None:
    code = code_of(browser.go(authorize_url(server, world, program, verifier)))
    made = exchange(server, program, code, verifier)
    assert made.status_code == 200, made.text
    assert made.headers["Cache-Control"] == "no-store"
    token = made.json()["access_token"]
    assert (made.json()["scope"], whoami(server, token)) == ("drain", 200)
    form = {"client_id": program["client_id"], "token": token}
    assert post(server, "/revoke", data=form).status_code == 200
    assert whoami(server, token) == 401


@pytest.mark.parametrize("method", ["client_secret_post", "client_secret_basic"])
def test_a_program_with_a_secret_revokes_with_it_and_nobody_without(
    server: Server, world: World, verifier: str, browser: Browser, method: str
) -> None:
    said = {"redirect_uris": [BACK], "token_endpoint_auth_method": method}
    confidential = post(server, "/register", json=said).json()
    id_, secret = confidential["client_id"], confidential["client_secret"]
    in_form = {"client_secret": secret} if method == "client_secret_post" else {}
    basic = base64.b64encode(f"{id_}:{secret}".encode()).decode()
    headers = {} if in_form else {"Authorization": f"Basic {basic}"}
    code = code_of(browser.go(authorize_url(server, world, confidential, verifier)))
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK}
    form |= {"client_id": id_, "code_verifier": verifier}
    token = post(server, "/token", data=form | in_form, headers=headers).json()["access_token"]
    revoked = {"client_id": id_, "token": token}
    refused = post(server, "/revoke", data=revoked)
    assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client")
    assert whoami(server, token) == 200
    assert post(server, "/revoke", data=revoked | in_form, headers=headers).status_code == 200
    assert whoami(server, token) == 401


def test_a_program_ends_no_token_but_its_own(
    server: Server, world: World, program: dict[str, Any], verifier: str, browser: Browser
) -> None:
    code = code_of(browser.go(authorize_url(server, world, program, verifier)))
    token = exchange(server, program, code, verifier).json()["access_token"]
    said = {"redirect_uris": [BACK], "token_endpoint_auth_method": "none"}
    other = post(server, "/register", json=said).json()["client_id"]
    for foreign in (token, world.endpoint.credential):
        form = {"client_id": other, "token": foreign}
        assert post(server, "/revoke", data=form).status_code == 200
        assert whoami(server, foreign) == 200
    missing = post(server, "/revoke", data={"client_id": other})
    assert (missing.status_code, missing.json()["error"]) == (400, "invalid_request")


def test_a_link_of_a_programs_own_scheme_is_not_shown_as_the_host_it_names(
    server: Server, world: World, verifier: str, browser: Browser
) -> None:
    own = "evil.app://accounts.example.com/callback"
    said = {"redirect_uris": [own], "token_endpoint_auth_method": "none"}
    sly = post(server, "/register", json=said).json()
    where = browser.go(authorize_url(server, world, sly, verifier, redirect_uri=own))
    assert where.startswith(f"{own}?code=")
    assert "evil.app:" in browser.seen and "accounts.example.com" not in browser.seen


def test_a_replayed_code_is_refused_and_ends_the_token_it_made(
    server: Server, world: World, program: dict[str, Any], verifier: str, browser: Browser
) -> None:
    code = code_of(browser.go(authorize_url(server, world, program, verifier)))
    token = exchange(server, program, code, verifier).json()["access_token"]
    again = exchange(server, program, code, verifier)
    assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
    assert whoami(server, token) == 401


@pytest.mark.parametrize(
    ("what", "changes", "error"),
    [
        ("another verifier", {"code_verifier": "v" * 64}, "invalid_grant"),
        ("no verifier", {"code_verifier": None}, "invalid_request"),
        ("another redirect", {"redirect_uri": "http://127.0.0.1:1/x"}, "invalid_request"),
        ("another grant", {"grant_type": "password"}, "invalid_request"),
        ("a made-up code", {"code": "x"}, "invalid_grant"),
        ("an unknown program", {"client_id": "nobody"}, "invalid_client"),
    ],
)
def test_a_wrong_exchange_makes_no_token(
    server: Server,
    world: World,
    program: dict[str, Any],
    verifier: str,
    browser: Browser,
    what: str,
    changes: dict[str, str | None],
    error: str,
) -> None:
    code = code_of(browser.go(authorize_url(server, world, program, verifier)))
    answer = exchange(server, program, code, verifier, **changes)
    assert answer.status_code in (400, 401), what
    assert answer.json()["error"] == error
    assert "access_token" not in answer.text


def test_a_code_is_for_the_program_it_was_made_for(
    server: Server, world: World, program: dict[str, Any], verifier: str, browser: Browser
) -> None:
    said = {"redirect_uris": [BACK], "token_endpoint_auth_method": "none"}
    other = post(server, "/register", json=said).json()
    code = code_of(browser.go(authorize_url(server, world, program, verifier)))
    answer = exchange(server, other, code, verifier)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


@pytest.mark.parametrize(
    ("changes", "comes_back"),
    [
        ({"redirect_uri": "https://evil.example/"}, False),
        ({"client_id": "nobody"}, False),
        ({"code_challenge": None}, True),
        ({"code_challenge_method": "plain"}, True),
        ({"code_challenge": ""}, True),
        ({"code_challenge": "c" * 42}, True),
        ({"code_challenge": "c" * 200}, True),
        ({"response_type": "token"}, True),
    ],
)
def test_a_wrong_request_never_reaches_the_consent_screen(
    server: Server,
    world: World,
    program: dict[str, Any],
    verifier: str,
    changes: dict[str, str | None],
    comes_back: bool,
) -> None:
    url = authorize_url(server, world, program, verifier, **changes)
    answer = requests.get(url, timeout=20, allow_redirects=False, proxies={"http": ""})
    where = answer.headers.get("Location", "")
    assert "consent" not in where
    if comes_back:
        assert where.startswith(BACK) and "error=" in where and "state=st" in where
    else:
        assert (answer.status_code, where) == (400, "")


def test_a_no_goes_back_as_one(
    server: Server, world: World, program: dict[str, Any], verifier: str, browser: Browser
) -> None:
    where = browser.go(authorize_url(server, world, program, verifier), deny="yes")
    assert where == f"{BACK}?error=access_denied&state=st"


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"redirect_uris": []},
        {"redirect_uris": ["http://evil.example/"]},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"redirect_uris": [BACK], "token_endpoint_auth_method": "private_key_jwt"},
        {"redirect_uris": [BACK], "grant_types": ["password"]},
        [],
    ],
)
def test_what_is_no_program_is_not_registered(server: Server, said: Any) -> None:
    answer = post(server, "/register", json=said)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("invalid_")


def test_what_a_client_looks_for_is_there(server: Server, world: World) -> None:
    path = urlsplit(world.endpoint.endpoint["mcp_url"]).path
    asked = server.call("POST", path, b"{}")
    assert asked.status == 401
    where = re.fullmatch(r'Bearer resource_metadata="(.+)"', asked.headers["WWW-Authenticate"])
    assert where
    resource = server.call("GET", urlsplit(where[1]).path).json
    assert resource["resource"] == server.url + path
    assert resource["authorization_servers"] == [server.url]
    about = server.call("GET", "/.well-known/oauth-authorization-server").json
    assert about["issuer"].rstrip("/") == server.url
    assert about["code_challenge_methods_supported"] == ["S256"]
    for name in ("authorization", "token", "registration", "revocation"):
        assert about[f"{name}_endpoint"].startswith(server.url)
    assert about["grant_types_supported"] == ["authorization_code"]
    assert "none" in about["token_endpoint_auth_methods_supported"]
