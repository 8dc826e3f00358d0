"""Lists come in pages, and every route tells who is asked for."""

from __future__ import annotations

import pytest

from tests.world import World


@pytest.mark.parametrize("noun", ["connections", "sources", "endpoints"])
def test_a_list_is_paged_to_its_end(world: World, noun: str) -> None:
    make = {
        "connections": lambda n: world.connect(f"n{n}", account_key=f"h{n}.example"),
        "sources": lambda n: world.add_source(f"n{n}"),
        "endpoints": lambda n: world.vend(f"n{n}"),
    }[noun]
    for number in range(5):
        make(number)
    names, after = [], ""
    while after is not None:
        page = world.operator("GET", f"/{noun}?limit=2{after and '&after=' + after}").json
        names += [each["name"] for each in page[noun]]
        after = page["next"]
    assert names == ["n0", "n1", "n2", "n3", "n4"]


def test_whoami_tells_an_agent_what_it_may(world: World) -> None:
    vended = world.vend("narrow", queues=["fast", "slow"], verbs=["drain"])
    found = world.agent("GET", "/whoami", by=vended).json
    assert found["endpoint"]["name"] == "narrow"
    assert (found["verbs"], found["queues"]) == (["drain"], ["fast", "slow"])
    assert {"calls", "replies", "replies_per_todo", "reply_characters"} <= set(found["limits"])


def test_a_secret_is_in_the_answer_that_makes_it_and_in_no_other(world: World) -> None:
    source = world.operator("POST", "/sources", {"kind": "github", "name": "s"})
    endpoint = world.operator("POST", "/endpoints", {"name": "e"})
    assert source.json["secret"].startswith("whsec_")
    assert endpoint.json["credential"].startswith("sbk_")
    assert source.json["ingest_url"].rpartition("/hooks/")[2]
    assert "secret" not in world.operator("GET", "/sources").json["sources"][0]
    assert "credential" not in world.operator("GET", "/endpoints").json["endpoints"][0]


def test_health_says_what_is_there(world: World) -> None:
    assert world.client.get("/healthz").json == {"status": "ok", "database": True}
    ready = world.client.get("/readyz")
    assert ready.status_code == 503
    assert (ready.json["database"], ready.json["queue"], ready.json["worker"]) == (
        True,
        True,
        False,
    )


@pytest.mark.parametrize("noun", ["connections", "sources"])
def test_a_list_goes_on_after_something_deleted_meanwhile(world: World, noun: str) -> None:
    for number in range(3):
        if noun == "sources":
            world.add_source(f"n{number}")
        else:
            world.connect(f"n{number}", account_key=f"h{number}.example")
    after = world.operator("GET", f"/{noun}?limit=1").json["next"]
    assert world.operator("DELETE", f"/{noun}/{after}").status_code == 204
    page = world.operator("GET", f"/{noun}?after={after}").json
    assert [each["name"] for each in page[noun]] == ["n1", "n2"]
