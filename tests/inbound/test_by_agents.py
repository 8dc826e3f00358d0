"""The five webhook verbs of agents: off unless granted, under the ceiling, for what the endpoint made."""

from __future__ import annotations

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import update

from switchboard.access import accounts, endpoints
from switchboard.access.endpoints import Vended
from switchboard.inbound import by_agents, store
from switchboard.inbound.sources import Added
from switchboard.lib import ids
from switchboard.models import Endpoint
from tests.servers import serve
from tests.world import World

NEW = {"kind": "github", "name": "site"}
SECRET = "issued-by-the-provider"
PATIENCE_SECONDS = 5
VERBS: list[tuple[str, str, Any]] = [
    ("GET", "/webhooks", None),
    ("POST", "/webhooks", NEW),
    ("POST", "/webhooks/octo/rotate", None),
    ("PUT", "/webhooks/octo/secret", {"secret": SECRET}),
    ("DELETE", "/webhooks/octo", None),
]


@pytest.fixture
def maker(world: World) -> Vended:
    """An agent of ana's that was granted the webhook verbs with the usual ceiling."""
    return world.vend("maker", verbs=["drain", "reply", "webhook"])


def made(world: World, by: Vended, **wanted: Any) -> Added:
    """A webhook that the agent makes."""
    answer = world.agent("POST", "/webhooks", NEW | wanted, by=by)
    assert answer.status_code == 201, answer.json
    return Added(answer.json, answer.json["secret"])


def refused(world: World, by: Vended, **wanted: Any) -> tuple[int, str]:
    answer = world.agent("POST", "/webhooks", NEW | wanted, by=by)
    return answer.status_code, answer.json["code"]


def names(world: World, by: Vended) -> list[str]:
    return [each["name"] for each in world.agent("GET", "/webhooks", by=by).json["webhooks"]]


def test_none_of_the_five_is_there_unless_granted(world: World, subtests: pytest.Subtests) -> None:
    assert world.source
    plain = world.vend("plain", verbs=["drain", "reply", "connection", "session"])
    for method, path, body in VERBS:
        with subtests.test(f"{method} {path}"):
            answer = world.agent(method, path, body, by=plain)
            assert (answer.status_code, answer.json["code"]) == (403, "forbidden")
    [kept] = world.operator("GET", "/sources").json["sources"]
    assert (kept["name"], kept["fingerprint"]) == ("octo", world.source.source["fingerprint"])


def test_an_agent_makes_a_webhook_and_claims_what_it_brings(world: World, maker: Vended) -> None:
    webhook = made(world, maker)
    assert webhook.source["to"] == ["maker:default"]
    assert (webhook.source["letters"], webhook.source["owner"]) == ("n", {"account": "ana"})
    assert world.deliver(world.issue(7), source=webhook).status_code == 202
    assert world.claim(by=maker)["source"] == "site"


def test_its_todos_are_answered_only_where_a_human_said_to(world: World, maker: Vended) -> None:
    assert world.connection
    world.deliver(world.issue(7), source=made(world, maker))
    path = f"/todos/{world.claim(by=maker)['id']}/replies"
    body = {"text": "On it.", "wait": 0}
    answer = world.agent("POST", path, body, by=maker)
    assert (answer.status_code, answer.json["code"]) == (403, "target_not_allowed")
    widened = {"config": {"targets": ["acme/*"]}}
    assert world.operator("PATCH", "/connections/octo", widened).status_code == 200
    assert world.agent("POST", path, body, by=maker).status_code == 202


def test_a_secret_stands_in_the_answer_that_made_it_only(world: World, maker: Vended) -> None:
    first = made(world, maker)
    rotated = world.agent("POST", "/webhooks/site/rotate", by=maker)
    again = Added(rotated.json, rotated.json["secret"])
    put = world.agent("PUT", "/webhooks/site/secret", {"secret": SECRET}, by=maker)
    assert (put.status_code, put.data) == (204, b"")
    assert world.deliver(world.issue(1), source=Added(again.source, SECRET)).status_code == 202
    events = world.operator("GET", "/events").text
    listed = world.agent("GET", "/webhooks", by=maker).text
    sources = world.operator("GET", "/sources").text
    assert first.secret and again.secret and first.secret != again.secret
    for secret in (first.secret, again.secret, SECRET):
        assert secret not in events + listed + sources


def test_what_an_agent_made_is_known_as_such_to_its_owner(world: World, maker: Vended) -> None:
    assert world.source
    made(world, maker)
    found = world.operator("GET", "/sources").json["sources"]
    assert [(s["name"], s["made_by"], s["secret_known_to_agent"]) for s in found] == [
        ("octo", None, False),
        ("site", "maker", True),
    ]


def test_a_human_who_rotates_does_not_make_it_trusted(world: World, maker: Vended) -> None:
    made(world, maker)
    world.operator("PUT", "/sources/site/secret", {})
    [found] = world.operator("GET", "/sources").json["sources"]
    assert found["secret_known_to_agent"]


def test_what_an_endpoint_did_not_make_is_not_there_for_it(
    world: World, maker: Vended, subtests: pytest.Subtests
) -> None:
    """Not what a human made, not what another endpoint of the same owner made."""
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    other = world.vend("other", verbs=["webhook"])
    bens = world.vend("bens", owner="ben", verbs=["webhook"])
    world.add_source("by-hand", to=["maker"])
    foreign = [
        ("by-hand", world.operator("GET", "/sources").json["sources"][0]["id"]),
        ("of-other", made(world, other, name="of-other").source["id"]),
        ("of-ben", made(world, bens, name="of-ben").source["id"]),
    ]
    assert names(world, maker) == []
    nothing = ids.new("source")
    for method, tail, body in (
        ("POST", "/rotate", None), ("PUT", "/secret", {"secret": SECRET}), ("DELETE", "", None)
    ):  # fmt: skip
        unknown = world.agent(method, f"/webhooks/{nothing}{tail}", body, by=maker)
        for ref in [ref for pair in foreign for ref in pair]:
            with subtests.test(f"{method} {ref}"):
                answer = world.agent(method, f"/webhooks/{ref}{tail}", body, by=maker)
                assert (answer.status_code, answer.data) == (404, unknown.data)
    [kept] = [s for s in world.operator("GET", "/sources").json["sources"] if not s["made_by"]]
    assert not kept["secret_known_to_agent"]


@pytest.mark.parametrize(
    ("ceiling", "wanted", "code"),
    [
        ({"kinds": ["gitea", "slack"]}, {}, "forbidden_source_type"),
        ({}, {"kind": "signed", "repo": "acme/rocket"}, "forbidden_source_type"),
        ({"queues": ["slow"]}, {"queue": "fast"}, "ceiling_exceeded"),
        ({}, {"queue": "elsewhere"}, "ceiling_exceeded"),
        ({"webhooks": 0}, {}, "ceiling_exceeded"),
    ],
)
def test_beyond_its_ceiling_nothing_is_made(
    world: World, ceiling: Any, wanted: Any, code: str
) -> None:
    under = world.vend("under", verbs=["webhook"], queues=["fast", "slow"], ceiling=ceiling)
    assert refused(world, under, **wanted) == (403, code)
    assert world.operator("GET", "/sources").json["sources"] == []


def test_one_endpoint_works_up_to_its_ceiling_and_again_after_deleting(world: World) -> None:
    small = world.vend("small", verbs=["webhook"], ceiling={"webhooks": 1})
    assert made(world, small)
    assert refused(world, small, name="second") == (403, "ceiling_exceeded")
    assert world.agent("DELETE", "/webhooks/site", by=small).status_code == 204
    assert made(world, small, name="second")
    assert names(world, small) == ["second"]


def test_work_goes_onto_the_queues_of_the_ceiling(world: World) -> None:
    queues = ["fast", "slow", "odd"]
    narrow = world.vend(
        "narrow", verbs=["webhook"], queues=queues, ceiling={"queues": ["slow", "odd"]}
    )
    assert made(world, narrow).source["to"] == ["narrow:slow"]
    assert made(world, narrow, name="odd", queue="odd").source["to"] == ["narrow:odd"]


def test_fifty_at_once_make_as_many_as_the_ceiling_says(
    world: World, maker: Vended, environ: dict[str, str]
) -> None:
    bearer = {"Authorization": f"Bearer {maker.credential}", "Content-Type": "application/json"}
    with serve(environ) as server, ThreadPoolExecutor(50) as pool:

        def call(number: int) -> int:
            raw = json.dumps(NEW | {"name": f"n{number}"}).encode()
            return server.call("POST", "/api/v1/webhooks", raw, bearer).status

        assert Counter(pool.map(call, range(50))) == {201: 3, 403: 47}
    assert len(names(world, maker)) == 3


def test_who_counts_sees_what_others_are_making(world: World, maker: Vended) -> None:
    """The last place under a ceiling is not given away twice: the second waits for the first."""
    agent = endpoints.recognise(world.lib, maker.credential)
    new = by_agents.NewWebhook("github", "second")
    with ThreadPoolExecutor(1) as pool:
        with world.lib.db.write() as session:
            store.count_made_by(session, agent.endpoint_id)
            second = pool.submit(by_agents.create_webhook, world.lib, agent, new)
            time.sleep(0.3)
            waited = not second.done()
        assert waited and second.result(PATIENCE_SECONDS).source["name"] == "second"


def test_a_webhook_speaks_for_its_provider_and_pins_what_it_is_told(
    world: World, maker: Vended
) -> None:
    wanted = {"kind": "gitea", "host": "https://git.example.org", "repos": ["acme/*"]}
    webhook = made(world, maker, **wanted).source
    assert (webhook["kind"], webhook["repos"]) == ("gitea", ["acme/*"])
    assert "git.example.org" in webhook["host"]


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"kind": "telex"}, "invalid_argument"),
        ({"name": "a/b"}, "invalid_argument"),
        ({"secret": "short"}, "invalid_argument"),
        ({"queue": 7}, "invalid_argument"),
        ({"repos": ["a/b/c"]}, "invalid_argument"),
    ],
)
def test_what_is_wrong_is_refused_and_leaves_nothing(
    world: World, maker: Vended, wanted: Any, code: str
) -> None:
    assert refused(world, maker, **wanted) == (422, code)
    assert names(world, maker) == []
    assert world.operator("GET", "/events").json["events"] == []


def test_the_letters_of_whoever_vended_it_bound_what_it_makes(world: World) -> None:
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("cy", "cy@example.org", letters="nc"))
    token = accounts.mint_token(world.lib, "cy")
    body = {"name": "cys", "verbs": ["webhook"]}
    vended = world._call("POST", "/endpoints", body, token)
    assert vended.status_code == 201
    cys = Vended(vended.json, vended.json["credential"])
    assert made(world, cys)
    accounts.set_letters(world.lib, "cy", "c")
    answer = world.agent("POST", "/webhooks", NEW | {"name": "more"}, by=cys)
    assert (answer.status_code, answer.json["letter"]) == (403, "n")
    again = world._call("POST", "/endpoints", body | {"name": "next"}, token)
    assert (again.status_code, again.json["letter"]) == (403, "n")


def test_an_endpoint_from_before_ceilings_makes_none(world: World, maker: Vended) -> None:
    with world.lib.db.write() as session:
        session.execute(update(Endpoint).values(ceiling=None))
    assert refused(world, maker) == (403, "ceiling_exceeded")


def test_what_an_agent_did_is_in_the_event_log_under_its_name(world: World, maker: Vended) -> None:
    webhook = made(world, maker)
    world.agent("POST", "/webhooks/site/rotate", by=maker)
    world.agent("DELETE", "/webhooks/site", by=maker)
    path = f"/events?about={webhook.source['id']}"
    events = world.operator("GET", path).json["events"]
    assert [(each["type"], each["actor"], each["actor_id"]) for each in events] == [
        (f"source.{verb}", "agent maker", maker.endpoint["id"])
        for verb in ("revoked", "rotated", "added")
    ]


def test_a_deleted_webhook_takes_nothing_more(world: World, maker: Vended) -> None:
    webhook = made(world, maker)
    world.agent("DELETE", f"/webhooks/{webhook.source['id']}", by=maker)
    assert world.deliver(world.issue(1), source=webhook).status_code == 404


def test_an_agent_is_told_its_ceiling(world: World, maker: Vended) -> None:
    told = world.agent("GET", "/whoami", by=maker).json["ceiling"]
    assert told == {
        "webhooks": 3,
        "kinds": ["github", "gitea", "slack", "cairn", "generic"],
        "queues": ["default"],
    }
    assert world.agent("GET", "/whoami").json["ceiling"] is None
