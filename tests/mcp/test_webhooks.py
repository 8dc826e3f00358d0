"""An agent makes a webhook, a provider writes to it, and the agent claims what came of it."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from switchboard.access.endpoints import Vended
from tests.mcp.clients import refusal, result
from tests.world import World, sign


@pytest.fixture
def maker(world: World) -> Vended:
    ceiling = {"webhooks": 1, "kinds": ["github"], "queues": ["builds"]}
    return world.vend(
        "maker", verbs=["drain", "webhook", "reply"], queues=["default", "builds"], ceiling=ceiling
    )


def deliver(world: World, webhook: dict[str, Any], secret: str, number: int) -> int:
    raw = json.dumps(world.issue(number)).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": f"made-{number}-{secret[-4:]}",
        "X-Hub-Signature-256": sign(secret, raw),
    }
    path = urlsplit(webhook["ingest_url"]).path
    return world.client.post(path, data=raw, headers=headers).status_code


def test_a_delivery_to_a_webhook_of_its_own_is_claimed_by_its_agent(
    world: World, maker: Vended
) -> None:
    made = result(world, "create_webhook", maker, kind="github", name="mine")
    assert made["secret"] and made["steps"]
    assert deliver(world, made, made["secret"], 7) == 202
    todo = result(world, "claim_next", maker)
    assert (todo["source"], todo["queue"], todo["state"]) == ("mine", "builds", "claimed")
    world.connect("wide")
    told = refusal(world, "reply", maker, todo_id=todo["id"], text="On it.")
    assert told["code"] == "target_not_allowed"


def test_a_webhook_gets_another_secret_and_ends(world: World, maker: Vended) -> None:
    made = result(world, "create_webhook", maker, kind="github", name="mine")
    listed = result(world, "list_webhooks", maker)["webhooks"]
    assert [each["id"] for each in listed] == [made["id"]] and made["secret"] not in str(listed)
    fresh = result(world, "rotate_webhook", maker, webhook_id="mine")["secret"]
    assert deliver(world, made, fresh, 1) == 202
    theirs = "the-secret-of-the-provider"
    told = result(world, "set_webhook_secret", maker, webhook_id=made["id"], secret=theirs)
    assert theirs not in str(told)
    assert deliver(world, made, theirs, 2) == 202
    result(world, "delete_webhook", maker, webhook_id="mine")
    assert deliver(world, made, theirs, 3) == 404


def test_the_ceiling_holds(world: World, maker: Vended) -> None:
    wanted = {"kind": "github", "name": "one"}
    told = refusal(world, "create_webhook", maker, kind="slack", name="x", host="T0AB1CD2E")
    assert told["code"] == "forbidden_source_type"
    result(world, "create_webhook", maker, **wanted)
    told = refusal(world, "create_webhook", maker, **wanted | {"name": "two"})
    assert told["code"] == "ceiling_exceeded"
