"""Whatever is sent to the JSON routes, the answer is one of ours and never a crash."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.world import World

PATHS = [
    ("POST", "/todos/claim-next"), ("POST", "/todos/{td}/claim"), ("POST", "/todos/{td}/heartbeat"),
    ("POST", "/todos/{td}/complete"), ("POST", "/todos/{td}/fail"), ("POST", "/todos/{td}/release"),
    ("POST", "/todos/{td}/replies"), ("POST", "/connections"), ("PATCH", "/connections/octo"),
    ("PUT", "/connections/octo/secret"), ("POST", "/sources"), ("POST", "/endpoints"),
    ("PATCH", "/sources/octo"), ("PUT", "/sources/octo/secret"),
]  # fmt: skip
NAMES = [
    "queue", "lease_seconds", "attempt", "result", "retry", "text", "idempotency_key", "wait", "owner",
    "kind", "name", "account_key", "secret", "config", "targets", "endpoints", "signature", "queues",
    "verbs", "expires_in", "host", "repos", "letters", "to", "state", "account", "team",
]  # fmt: skip
hostile = st.sampled_from(
    ["", "\x00", "\ud800", "x" * 5000, "github", "drain", "../..", "https://[", "a\nb", "ana", "me",
     "github.com", -1, 0, 1, 2**31, 2**63, 10**40, 1.5, 1e308, True, False, None, [], {}]
)  # fmt: skip
value = st.recursive(
    hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=5,
)
body = st.dictionaries(st.sampled_from(NAMES), value, max_size=6) | value
once = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.setting(ENDPOINT_RATE="0:1", REPLY_RATE="0:1")
@once
@given(where=st.sampled_from(PATHS), sent=body)
def test_no_json_body_is_a_server_error(world: World, where: tuple[str, str], sent: Any) -> None:
    if "todo" not in world.__dict__:
        world.__dict__["todo"] = world.claimed()["id"]
    method, path = where
    path = path.format(td=world.__dict__["todo"])
    bearer = world.endpoint.credential if path.startswith("/todos") else world.operator_token
    answer = world._call(method, path, sent, bearer)
    assert answer.status_code < 500, (answer.data, json.dumps(sent))


@once
@given(
    path=st.sampled_from(["/todos", "/deliveries", "/sources", "/connections", "/endpoints"]),
    name=st.sampled_from(["state", "queue", "after", "limit", "status", "code", "kind", "source"]),
    given_value=st.text(max_size=30) | hostile.map(str),
)
def test_no_query_is_a_server_error(world: World, path: str, name: str, given_value: str) -> None:
    headers = {"Authorization": f"Bearer {world.operator_token}"}
    query = {name: given_value.encode("utf-8", "replace").decode()}
    answer = world.client.get(f"/api/v1{path}", query_string=query, headers=headers)
    assert answer.status_code in (200, 422), answer.data


@once
@given(ref=st.text(max_size=40), tail=st.sampled_from(["", "/test", "/secret"]))
def test_no_name_in_a_path_is_a_server_error(world: World, ref: str, tail: str) -> None:
    from urllib.parse import quote

    method = {"": "PATCH", "/test": "POST", "/secret": "PUT"}[tail]
    safe = quote(ref.encode("utf-8", "replace"), safe="")
    path = f"/connections/{safe}{tail}"
    answer = world._call(method, path, {"secret": "a-secret"}, world.operator_token)
    assert answer.status_code in (308, 404, 405)
