"""Whatever an agent sends, the answer is a clear error, never a crash, and quotes nothing secret."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from switchboard.mcp.registry import FAMILIES
from tests.mcp.clients import ACCEPT, MODERN, call, refusal, request, send, url_of
from tests.servers import serve
from tests.world import World

TOOLS = [tool for family in FAMILIES.values() for tool in family.tools]
NAMES = sorted({name for tool in TOOLS for name in tool.arguments})


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("get_todo", {}, "todo_id"),
        ("get_todo", {"todo_id": 7}, "todo_id"),
        ("get_todo", {"todo_id": None}, "todo_id"),
        ("get_todo", {"todo_id": "x" * 300}, "todo_id"),
        ("get_todo", {"todo_id": "td_\x00"}, "todo_id"),
        ("get_todo", {"todo_id": "td_x", "more": 1}, "more"),
        ("list_todos", {"state": "lost"}, "state"),
        ("list_todos", {"queue": "a\x00b"}, "queue"),
        ("list_todos", {"limit": 0}, "limit"),
        ("list_todos", {"limit": True}, "limit"),
        ("list_todos", {"limit": 1.0}, "limit"),
        ("list_todos", {"after": ["td_x"]}, "after"),
        ("claim_next", {"lease_seconds": 10**40}, "lease_seconds"),
        ("claim_next", {"lease_seconds": "900"}, "lease_seconds"),
        ("complete", {"todo_id": "td_x", "attempt": -1}, "attempt"),
        ("complete", {"todo_id": "td_x", "result": {"deep": ["\x00"]}}, "result"),
        ("fail", {"todo_id": "td_x", "retry": "no"}, "retry"),
        ("comment", {"todo_id": "td_x", "body": "x" * 40_000}, "body"),
        ("reply", {"todo_id": "td_x", "text": {"a": 1}}, "text"),
        ("reply", {"todo_id": "td_x", "text": "x" * 16_385}, "text"),
        ("reply", {"todo_id": "td_x", "text": "a", "wait": -1}, "wait"),
        (
            "reply",
            {"todo_id": "td_x", "text": "a", "idempotency_key": "k" * 129},
            "idempotency_key",
        ),
        ("create_connection", {"kind": "github", "name": "a", "account_key": "b"}, "secret"),
        ("rotate_connection", {"connection_id": "a", "secret": 7}, "secret"),
    ],
)
def test_an_argument_that_does_not_fit_is_named(
    world: World, tool: str, arguments: dict[str, Any], field: str
) -> None:
    agent = world.vend("all", verbs=list(FAMILIES))
    told = refusal(world, tool, agent, **arguments)
    assert (told["code"], told["field"]) == ("invalid_argument", field)
    assert told["message"].startswith(f"{field}: ")


def test_what_a_config_holds_is_checked_too(world: World) -> None:
    agent = world.vend("all", verbs=["connection"])
    new = {"kind": "github", "name": "a", "account_key": "github.com", "secret": "s"}
    for config in ({"targets": "acme/*"}, {"targets": [7]}, {"owner": "x"}, [], {"signature": 1}):
        told = refusal(world, "create_connection", agent, **new, config=config)
        assert told["code"] == "invalid_argument", config


def test_an_error_quotes_no_argument(world: World) -> None:
    agent = world.vend("all", verbs=["connection"])
    told = refusal(
        world, "create_connection", agent,
        kind="github", name="a", account_key="github.com", secret="canary-" * 1000,
    )  # fmt: skip
    assert told["field"] == "secret" and "canary" not in json.dumps(told)


BROKEN = [
    b"",
    b"{",
    b"\xff\xfe",
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": NaN, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}',
    b'{"jsonrpc": "2.0", "id": "\\udfff", "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": '
    b'{"name": "comment", "arguments": {"todo_id": "td_x", "body": "\\ud83d"}}}',
    b"[" * 100 + b"]" * 100,
    b"[]",
    b"7",
    b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]',
    b'{"id": 1, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
]  # fmt: skip


@pytest.mark.parametrize("version", ["2025-11-25", MODERN, None])
def test_a_body_that_is_no_message_is_an_error_of_json_rpc(
    world: World, version: str | None, subtests: pytest.Subtests
) -> None:
    for raw in BROKEN:
        with subtests.test(raw[:60]):
            answer = send(world, raw, version=version)
            assert answer.status_code == 400, answer.data
            assert answer.mimetype == "application/json"
            assert answer.json["error"]["code"] < 0 and answer.json["error"]["message"]


@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
@pytest.mark.parametrize(
    "params", [None, {}, [], {"name": 7}, {"name": "x\x00y"}, {"name": "claim", "arguments": []}]
)
def test_a_call_that_is_none_is_an_error_of_json_rpc(
    world: World, version: str, params: Any
) -> None:
    answer = send(world, request("tools/call", params), version=version)
    assert answer.status_code in (200, 400), answer.data
    assert answer.json["error"]["code"] in (-32_602, -32_600, -32_700, -32_020)


def test_a_huge_body_is_refused_unread(world: World) -> None:
    answer = send(world, b" " * 300_000)
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Type": "text/plain"}, 400),
        ({"Content_Type": None}, 400),
        ({"Accept": "text/html"}, 406),
        ({"Content_Encoding": "gzip"}, 415),
        ({"MCP_Protocol_Version": "1999-01-01"}, 400),
        ({"MCP_Protocol_Version": "é\x7f"}, 400),
        ({"MCP_Session_Id": "anything"}, 200),
    ],
)
def test_headers_that_do_not_fit_are_refused(
    world: World, headers: dict[str, str | None], status: int
) -> None:
    assert send(world, request("ping"), **headers).status_code == status


value = st.recursive(
    st.sampled_from(
        ["", "\x00", "x" * 5000, "github", "drain", "../..", "a\nb", "default", "td_x", "github.com", -1,
         0, 1, 2**31, 2**63, 10**40, 1.5, 1e308, True, False, None, [], {}]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=5,
)  # fmt: skip


@pytest.mark.setting(ENDPOINT_RATE="0:1", REPLY_RATE="0:1")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    tool=st.sampled_from(TOOLS),
    sent=st.dictionaries(st.sampled_from(NAMES), value, max_size=6),
    fits=st.booleans(),
)
def test_no_arguments_are_a_crash(world: World, tool: Any, sent: Any, fits: bool) -> None:
    if "todo" not in world.__dict__:
        world.__dict__["todo"] = world.claimed()["id"]
        world.__dict__["all"] = world.vend("all", verbs=list(FAMILIES))
    if fits:  # only what the tool knows, so that more of it is reached
        sent = {name: each for name, each in sent.items() if name in tool.arguments}
    told = call(world, tool.name, world.__dict__["all"], **sent)
    if "result" in told and told["result"]["isError"]:
        assert told["result"]["structuredContent"]["code"] != "internal", sent


@pytest.mark.timeout(120)
@pytest.mark.setting(BODY_SECONDS="1")
def test_hostile_requests_of_a_socket_are_never_a_500(
    world: World, environ: dict[str, str], subtests: pytest.Subtests
) -> None:
    body = json.dumps(request("ping")).encode()
    path = f"/mcp/{world.endpoint.endpoint['slug']}"
    good = [
        "Host: box", f"Authorization: Bearer {world.endpoint.credential}", "Connection: close",
        "Content-Type: application/json", f"Accept: {ACCEPT}",
    ]  # fmt: skip
    length = f"Content-Length: {len(body)}"
    requests = {
        "plain": (path, [*good, length], body, 200),
        "a NUL in the query": (f"{path}?a=%00", [*good, length], body, 422),
        "a strange query": (f"{path}?a=%ff&%e9", [*good, length], body, 200),
        "a strange path": (f"{path}%ff", [*good, length], body, 401),
        "chunked": (
            path, [*good, "Transfer-Encoding: chunked"],
            f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n", 200,
        ),
        "huge and chunked": (
            path, [*good, "Transfer-Encoding: chunked"],
            b"50000\r\n" + b" " * 0x50000 + b"\r\n0\r\n\r\n", 413,
        ),
        "a body that does not come": (path, [*good, "Content-Length: 500"], body, 408),
        "a strange host": (path, [*good[1:], "Host: a:b:c", length], body, 200),
        "strange headers": (path, [*good, length, "X-\x01: a", "Mcp-Name: \xff"], body, 400),
        "two versions": (
            path, [*good, length, f"MCP-Protocol-Version: {MODERN}", "MCP-Protocol-Version: x"],
            body, 400,
        ),
    }  # fmt: skip
    with serve(environ, processes=1) as server:
        assert url_of(server, world.endpoint).endswith(path)
        for name, (where, headers, sent, status) in requests.items():
            with subtests.test(name):
                head = f"POST {where} HTTP/1.1\r\n" + "".join(f"{each}\r\n" for each in headers)
                answer = server.raw(head.encode("latin-1") + b"\r\n" + sent)
                assert answer.status == status, answer.body
        assert "Traceback" not in server.log
