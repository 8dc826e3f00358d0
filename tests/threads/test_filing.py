"""What a signed source's deliveries file: tickets, comments, verdicts; whole or not at all."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import delete

from switchboard.models import Delivery
from tests.threads.conftest import COMMIT, TICKET, Filing
from tests.world import World


def test_a_ticket_and_its_todo_come_of_one_delivery(world: World, ci: Filing) -> None:
    answer = ci.say({**TICKET, "labels": ["flaky", "flaky", "ci"]}).json
    made = answer["artifacts"][0]
    assert made == {
        "type": "ticket",
        "id": made["id"],
        "number": 1,
        "ref": "ticket:acme/rocket#1",
    }
    todo = world.claim()
    assert todo["thread"] == {
        "id": made["id"],
        "ref": "ticket:acme/rocket#1",
        "number": 1,
        "repo": "acme/rocket",
    }
    thread = world.operator("GET", f"/threads/{made['id']}").json
    assert thread["author"] == {"source": "ci"} and thread["via"] == "source"
    assert thread["delivery"] == answer["delivery"]
    assert thread["labels"] == ["flaky", "ci"]
    assert [each["id"] for each in thread["todos"]] == [todo["id"]]


def test_the_sources_name_stands_in_the_body(world: World, ci: Filing) -> None:
    for body, shown in (
        ("3 of 200 tests.", "3 of 200 tests.\n\nFiled by the source ci."),
        ("", "Filed by the source ci."),
    ):
        made = ci.ticket(body=body)
        assert world.operator("GET", f"/threads/{made['id']}").json["body"] == shown


def test_numbers_run_through_the_repo(world: World, ci: Filing, add: Any) -> None:
    other = Filing(world, world.add_source("cd", "signed", repo="ACME/rocket", letters="n"))
    elsewhere = Filing(world, world.add_source("x", "signed", repo="acme/moon", letters="n"))
    made = [ci.ticket()["number"], add()["number"], other.ticket()["number"]]
    assert (made, elsewhere.ticket()["number"]) == ([1, 2, 3], 1)


def test_a_repeat_makes_no_second_ticket(world: World, ci: Filing) -> None:
    first = ci.say(TICKET, id="once")
    again = ci.say(TICKET, id="once")
    assert (again.status_code, again.json["duplicate"]) == (200, True)
    assert again.json["artifacts"] == first.json["artifacts"]
    assert len(world.operator("GET", "/threads").json["threads"]) == 1


def test_a_comment_goes_on_the_ticket_it_names(world: World, ci: Filing) -> None:
    ticket = ci.ticket()
    answer = ci.say({"kind": "comment", "ticket": ticket["number"], "body": "Again tonight."})
    assert answer.status_code == 202
    assert [each["type"] for each in answer.json["artifacts"]] == ["comment"]
    [said] = world.operator("GET", f"/threads/{ticket['id']}").json["comments"]
    assert (said["body"], said["author"], said["via"]) == (
        "Again tonight.",
        {"source": "ci"},
        "source",
    )


def test_a_comment_needs_a_ticket_of_the_sources_own_repo(
    world: World, ci: Filing, add: Any, subtests: pytest.Subtests
) -> None:
    other = Filing(world, world.add_source("x", "signed", repo="acme/moon", letters="n"))
    other.ticket()
    forum = add(kind="forum")
    for what, number in (
        ("unknown", 7),
        ("another repo's only", 2),
        ("a forum thread", forum["number"]),
        ("beyond any", 2**40),
    ):
        with subtests.test(what):
            answer = ci.say({"kind": "comment", "ticket": number, "body": "Hello?"})
            assert (answer.status_code, answer.json["code"]) == (422, "unmappable")
            assert answer.json["field"] == "ticket"


def test_nothing_is_written_into_a_mirror(world: World, ci: Filing, add: Any) -> None:
    mirror = add(mirror_of="https://github.com/acme/rocket/issues/9")
    answer = ci.say({"kind": "comment", "ticket": mirror["number"], "body": "Hello?"})
    assert (answer.status_code, answer.json["code"]) == (422, "mirror_read_only")
    assert world.operator("GET", f"/threads/{mirror['id']}").json["comments"] == []
    assert world.log()[0]["code"] == "mirror_read_only"


@pytest.mark.parametrize(
    ("letters", "body", "lacks"),
    [
        ("ck", TICKET, "n"),
        ("nk", {"kind": "comment", "ticket": 1, "body": "x"}, "c"),
        ("nc", {"kind": "checks", "commit": COMMIT, "name": "t", "state": "success"}, "k"),
    ],
)
def test_a_missing_letter_is_named(world: World, letters: str, body: Any, lacks: str) -> None:
    assert world.endpoint
    source = Filing(world, world.add_source("s", "signed", repo="r", letters=letters))
    answer = source.say(body)
    assert (answer.status_code, answer.json["code"]) == (403, "missing_capability")
    assert answer.json["letter"] == lacks


def test_a_title_that_shows_nothing_files_nothing(world: World, ci: Filing) -> None:
    answer = ci.say({**TICKET, "title": "\u200b\u2060"})
    assert (answer.status_code, answer.json["field"]) == (422, "title")
    assert world.operator("GET", "/threads").json["threads"] == []
    assert ci.ticket()["number"] == 1


def test_what_is_filed_outlives_its_delivery(world: World, ci: Filing) -> None:
    ticket = ci.ticket()
    ci.say({"kind": "comment", "ticket": 1, "body": "Again."})
    ci.check("success")
    with world.lib.db.write() as session:
        session.execute(delete(Delivery))
    thread = world.operator("GET", f"/threads/{ticket['id']}").json
    assert (thread["delivery"], len(thread["todos"])) == (None, 1)
    assert [(each["body"], each["delivery"]) for each in thread["comments"]] == [("Again.", None)]
    assert len(world.operator("GET", "/verdicts").json["verdicts"]) == 1
