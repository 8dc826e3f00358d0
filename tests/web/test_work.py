"""What needs a human, the todos, and one todo's story."""

from __future__ import annotations

import re
from typing import Any

import pytest

from switchboard.replies import dial
from tests.standins.github import GitHubStandIn
from tests.web.conftest import Human
from tests.world import World, payload


def answered(world: World, github: GitHubStandIn, answer: str) -> dict[str, Any]:
    """A claimed todo with one reply, dialled and answered so."""
    todo = world.claimed()
    github.program([answer])
    reply = world.reply(todo, "I found it.").json
    dial.dial(world.lib, reply["reply_id"])
    return todo


def test_an_empty_instance_says_the_first_steps(ana: Human) -> None:
    page = ana.read("/")
    for step in ("Vend an endpoint", "Add a source", "Add a connection"):
        assert step in page
    assert 'class="ticked"' not in page


def test_the_first_steps_tick_themselves_and_go(ana: Human, world: World) -> None:
    assert world.source
    assert ana.read("/").count('class="ticked"') == 2
    world.claimed()
    assert "First steps" not in ana.read("/")


def test_nothing_to_do_is_said(ana: Human, world: World) -> None:
    world.claimed()
    assert "Nothing needs you" in ana.read("/")


@pytest.mark.setting(MAX_ATTEMPTS="1")
def test_a_dead_letter_stands_on_the_home_page_until_it_is_retried(
    ana: Human, world: World
) -> None:
    todo = world.claimed()
    world.agent("POST", f"/todos/{todo['id']}/fail")
    assert f'href="/todos/{todo["id"]}">Something is wrong' in ana.read("/")
    page = f"/todos/{todo['id']}"
    assert "Given up after 1 failed attempt" in ana.read(page)
    ana.send(f"{page}/retry", seen_at=page)
    assert ">dead letter<" not in ana.read("/")
    assert world.claim()["id"] == todo["id"]


@pytest.mark.parametrize(
    ("answer", "word", "cause"),
    [("locked_422", "failed", "invalid locked"), ("server_error", "unknown", "server 500")],
)
def test_a_reply_in_trouble_stands_on_the_home_page(
    ana: Human, world: World, github: GitHubStandIn, answer: str, word: str, cause: str
) -> None:
    answered(world, github, answer)
    page = ana.read("/")
    assert "Reply to github acme/rocket#1" in page
    assert f">{word}<" in page and cause in page


def test_a_paused_source_stands_on_the_home_page(ana: Human, world: World) -> None:
    page = f"/settings/sources/{world.source.source['id']}"
    ana.send(f"{page}/pause", seen_at=page)
    assert "It takes nothing until somebody resumes it" in ana.read("/")


def test_a_source_whose_last_deliveries_were_all_refused_stands_there(
    ana: Human, world: World
) -> None:
    for number in range(3):
        world.deliver(world.issue(number), headers={"X-Hub-Signature-256": "sha256=00"})
    assert "The last 3 deliveries were refused" in ana.read("/")


def test_a_connection_whose_test_failed_stands_there(
    ana: Human, world: World, github: GitHubStandIn
) -> None:
    github.program(["bad_credentials"], route="user")
    address = "/settings/connections"
    ana.send(f"{address}/{world.connection['id']}/test", seen_at=address)
    assert "Its last test failed (auth" in ana.read("/")


def test_a_connection_told_to_slow_down_stands_there(
    ana: Human, world: World, github: GitHubStandIn
) -> None:
    answered(world, github, "rate_limited_60s")
    assert "asked us to slow down" in ana.read("/")


def test_todos_stand_by_state_with_their_counts(ana: Human, world: World) -> None:
    world.claimed(1)
    world.deliver(world.issue(2, "Waiting"))
    page = ana.read("/todos?state=pending")
    assert "Waiting" in page and "Something is wrong" not in page
    assert re.search(r"Claimed <b>1</b>", page) and re.search(r"All <b>2</b>", page)


def test_older_todos_are_one_link_away(ana: Human, world: World) -> None:
    for number in range(51):
        world.deliver(world.issue(number, f"Number {number}."))
    page = ana.read("/todos")
    older = re.search(r'<a href="([^"]+)">Older todos', page)
    assert older and "Number 0." not in page
    assert "Number 0." in ana.read(older[1])


def test_a_story_goes_from_the_delivery_to_the_reply(
    ana: Human, world: World, github: GitHubStandIn
) -> None:
    todo = answered(world, github, "created")
    world.agent("POST", f"/todos/{todo['id']}/complete", {"result": {"tests": "green"}})
    page = ana.read(f"/todos/{todo['id']}")
    lines = re.findall(r'<span class="line">([^<]+)</span>', page)
    assert lines == [
        "Delivery from octo: issues.opened",
        "Todo for fixer on the queue default",
        "Claimed once",
        "Reply to github acme/rocket#1",
        "Completed by the agent",
    ]
    assert "I found it." in page and '"tests": "green"' in page
    assert re.search(r'<a href="https://github.com/acme/rocket/[^"]+" rel="noreferrer">', page)


def test_a_todo_says_where_answers_go_and_shows_its_payload(ana: Human, world: World) -> None:
    todo = world.claimed()
    page = ana.read(f"/todos/{todo['id']}")
    assert "<strong>github acme/rocket#1</strong>" in page
    assert '"action": "opened",\n' in page


def test_a_todo_that_cannot_be_answered_says_so(ana: Human, world: World) -> None:
    todo = world.deliver(world.issue(1), "star").json["todos"][0]["id"]
    assert "Nowhere: this event has no place that can be answered" in ana.read(f"/todos/{todo}")


def test_only_what_failed_or_waits_is_retried(ana: Human, world: World) -> None:
    todo = world.claimed()
    page = f"/todos/{todo['id']}"
    assert "Retry now" not in ana.read(page)
    assert ana.send(f"{page}/retry", seen_at=page).status_code == 409


@pytest.mark.setting(MAX_ATTEMPTS="1", SOURCE_RATE="0:1")
def test_a_dead_letter_stays_in_sight_behind_many_that_merely_failed(
    ana: Human, world: World
) -> None:
    given_up = world.claimed(99)
    world.agent("POST", f"/todos/{given_up['id']}/fail", {"result": {}})
    for number in range(25):
        todo = world.claimed(number)
        world.agent("POST", f"/todos/{todo['id']}/fail", {"retry": False})
    assert f"/todos/{given_up['id']}" in ana.read("/")


def test_the_story_ends_with_the_echo_that_made_no_todo(
    ana: Human, world: World, github: GitHubStandIn
) -> None:
    todo = answered(world, github, "created")
    posted = world.agent("GET", f"/todos/{todo['id']}").json["replies"]["last_permalink"]
    echo = payload("github/issue_comment.created")
    echo["issue"]["number"] = todo["reply_to"]["number"]
    echo["comment"]["id"] = int(posted.rpartition("-")[2])
    delivered = world.deliver(echo, "issue_comment").json
    assert delivered["cause"] == "self_reply"
    page = ana.read(f"/todos/{todo['id']}")
    assert ">echo<" in page and f"/deliveries/{delivered['delivery']}" in page
    assert page.index("Reply to github") < page.index("came back as a delivery")
