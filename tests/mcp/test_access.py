"""Who gets in: the credential of exactly this endpoint, and no page of another site."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from switchboard.access import accounts, endpoints
from switchboard.access.endpoints import Vended
from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.models import Endpoint
from tests.mcp.clients import refusal, request, send, tool_names
from tests.world import World

PING = request("ping")


def refused(answer: Any, status: int = 401, code: str = "unauthenticated") -> None:
    assert answer.status_code == status, answer.data
    assert answer.mimetype == "application/problem+json"
    assert answer.json["code"] == code
    if status == 401:
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "given",
    [None, "", "Bearer", "Bearer sbk_nobody", "Basic YTpi", "Bearer sbp_x", "Bearer \xff\x01"],
)
def test_who_shows_no_credential_of_ours_is_told_to_bring_one(
    world: World, given: str | None
) -> None:
    refused(send(world, PING, Authorization=given))


def test_a_credential_opens_its_own_endpoint_only(world: World) -> None:
    other = world.vend("other")
    assert send(world, PING, by=other).status_code == 200
    stolen = f"Bearer {world.endpoint.credential}"
    refused(send(world, PING, by=other, Authorization=stolen))
    nowhere = Vended({**other.endpoint, "mcp_url": "http://box/mcp/nowhere"}, other.credential)
    refused(send(world, PING, by=nowhere))


def test_a_revoked_credential_is_refused(world: World) -> None:
    endpoints.revoke(world.lib, Machine(), world.endpoint.endpoint["slug"])
    refused(send(world, PING))


def test_an_expired_credential_is_refused(world: World) -> None:
    short = world.vend("short", expires_in=60)
    assert send(world, PING, by=short).status_code == 200
    with world.lib.db.write() as session:
        row = session.get(Endpoint, short.endpoint["id"])
        assert row is not None
        row.expires_at = clock.ago(1)
    refused(send(world, PING, by=short))


def test_an_endpoint_whose_voucher_was_disabled_is_refused(world: World) -> None:
    answer = world.operator("POST", "/endpoints", {"name": "mine", "verbs": ["drain"]})
    mine = Vended(answer.json, answer.json["credential"])
    assert tool_names(world, mine)
    accounts.disable(world.lib, world.account["name"])
    refused(send(world, PING, by=mine), 403, "forbidden")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_no_stream_to_open_and_no_session_to_end(world: World, method: str) -> None:
    path = f"/mcp/{world.endpoint.endpoint['slug']}"
    answer = world.client.open(path, method=method)
    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]
    assert answer.mimetype == "application/problem+json"


@pytest.mark.setting(BASE_URL="https://box.example.org")
@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("https://box.example.org", 200),
        ("http://localhost:6274", 200),
        ("http://127.0.0.1", 200),
        ("http://box.example.org", 403),
        ("https://evil.example", 403),
        ("https://box.example.org.evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://[", 403),
        ("null", 403),
        ("", 403),
    ],
)
def test_a_page_of_another_site_may_not_call(world: World, origin: str | None, status: int) -> None:
    assert send(world, PING, Origin=origin).status_code == status


def test_any_host_name_that_leads_here_is_fine(world: World) -> None:
    assert send(world, PING, Host="agents.internal:9000").status_code == 200


@pytest.mark.setting(ENDPOINT_RATE="0.01:3")
def test_what_is_over_the_rate_is_a_result_of_a_tool_and_a_429_of_the_rest(world: World) -> None:
    while send(world, PING).status_code == 200:
        pass
    answer = send(world, PING)
    refused(answer, 429, "rate_limited")
    assert int(answer.headers["Retry-After"]) > 0
    told = refusal(world, "claim_next")
    assert told["code"] == "rate_limited" and told["retry_after"] > 0


def test_a_call_is_seen_on_the_endpoint(world: World) -> None:
    assert send(world, PING).status_code == 200
    [shown] = endpoints.in_view(world.lib, Machine())
    assert shown["last_seen_at"] is not None


@pytest.mark.setting(BASE_URL="http://box.example.org")
def test_over_plain_http_there_is_no_oauth(world: World) -> None:
    for method, path in (
        ("GET", "/.well-known/oauth-authorization-server"),
        ("POST", "/register"),
        ("POST", "/token"),
        ("GET", "/authorize"),
    ):
        answer = world.client.open(path, method=method, headers={"Host": "box.example.org"})
        assert (answer.status_code, answer.json["code"]) == (404, "not_found"), path
    path = urlsplit(world.endpoint.endpoint["mcp_url"]).path
    assert world.client.post(path).headers["WWW-Authenticate"] == "Bearer"
