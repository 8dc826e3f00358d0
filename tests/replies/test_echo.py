"""Our own comment coming back as a webhook makes no todo; a human's words always do."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import update

from switchboard.lib import clock
from switchboard.models import Reply
from switchboard.replies.dial import dial
from switchboard.replies.sweep import sweep
from tests.standins.github import GitHubStandIn
from tests.world import World, payload

FIRST_ID = 2_000_000_001


def comment(number: int, id: int, text: str) -> dict[str, Any]:
    body = payload("github/issue_comment.created")
    body["issue"]["number"] = number
    body["comment"]["id"], body["comment"]["body"] = id, text
    return body


def replied(world: World, text: str = "On it.", number: int = 7) -> dict[str, Any]:
    """A reply dialled to its end."""
    id = world.reply(world.claimed(number), text).json["reply_id"]
    dial(world.lib, id)
    return world.agent("GET", f"/replies/{id}").json


def is_dropped(answer: Any) -> bool:
    assert answer.status_code == 202, answer.data
    found = (answer.json["dropped"], answer.json["cause"], answer.json["created"])
    assert found in [(True, "self_reply", 0), (False, None, 1)]
    return bool(answer.json["dropped"])


def test_the_echo_of_a_sent_reply_is_known_by_its_object(world: World) -> None:
    replied(world)
    assert is_dropped(world.deliver(comment(7, FIRST_ID, "edited on the way"), "issue_comment"))
    row = world.log()[0]
    assert (row["status"], row["code"], row["outcome"]["cause"]) == (
        "accepted", "self_reply", "self_reply",
    )  # fmt: skip
    assert world.agent("POST", "/todos/claim-next").status_code == 204


def test_a_humans_comment_with_the_same_words_makes_a_todo(world: World) -> None:
    replied(world)
    assert not is_dropped(world.deliver(comment(7, 99, "On it."), "issue_comment"))


def test_the_same_object_id_at_another_issue_makes_a_todo(world: World) -> None:
    replied(world)
    assert not is_dropped(world.deliver(comment(8, FIRST_ID, "On it."), "issue_comment"))


def test_an_echo_that_beats_the_answer_is_known_by_its_text(world: World) -> None:
    id = world.reply(world.claimed(7), "On it.\nSoon.").json["reply_id"]
    with world.lib.db.write() as session:
        session.execute(update(Reply).values(dial_started_at=clock.now()))
    assert is_dropped(world.deliver(comment(7, 99, "On it.\r\nSoon.\n"), "issue_comment"))
    assert world.agent("GET", f"/replies/{id}").json["state"] == "pending"


@pytest.mark.setting(DIAL_SECONDS="3")
def test_an_echo_that_came_while_dialling_decides_what_the_dial_could_not(
    world: World, github: GitHubStandIn
) -> None:
    github.program(["hang_after_write"])
    id = world.reply(world.claimed(7), "On it.").json["reply_id"]
    dialling = threading.Thread(target=dial, args=(world.lib, id))
    dialling.start()
    github.wait_for_posts(1)
    assert is_dropped(world.deliver(comment(7, 99, "On it."), "issue_comment"))
    dialling.join(10)
    found = world.agent("GET", f"/replies/{id}").json
    assert (found["state"], found["error_class"], found["error_code"]) == ("sent", None, None)


def test_an_echo_proves_a_reply_whose_worker_was_lost(world: World) -> None:
    id = world.reply(world.claimed(7), "On it.").json["reply_id"]
    with world.lib.db.write() as session:
        session.execute(update(Reply).values(dial_started_at=clock.ago(120)))
    assert is_dropped(world.deliver(comment(7, 99, "On it."), "issue_comment"))
    sweep(world.lib)
    assert world.agent("GET", f"/replies/{id}").json["state"] == "sent"


def test_a_reply_not_yet_dialled_has_no_echo(world: World) -> None:
    world.reply(world.claimed(7), "On it.")
    assert not is_dropped(world.deliver(comment(7, 99, "On it."), "issue_comment"))


@pytest.mark.setting(DIAL_SECONDS="1")
def test_an_echo_proves_that_an_unknown_reply_was_posted(
    world: World, github: GitHubStandIn
) -> None:
    github.program(["reset_after_write"])
    found = replied(world)
    assert found["state"] == "unknown"
    assert is_dropped(world.deliver(comment(7, 99, "On it."), "issue_comment"))
    proven = world.agent("GET", f"/replies/{found['reply_id']}").json
    assert (proven["state"], proven["error_class"], proven["error_code"]) == ("sent", None, None)
    assert is_dropped(world.deliver(comment(7, 99, "On it, edited."), "issue_comment"))


@pytest.mark.setting(DIAL_SECONDS="1")
def test_the_same_words_elsewhere_prove_nothing(world: World, github: GitHubStandIn) -> None:
    github.program(["reset_after_write"])
    found = replied(world)
    assert not is_dropped(world.deliver(comment(8, 99, "On it."), "issue_comment"))
    assert world.agent("GET", f"/replies/{found['reply_id']}").json["state"] == "unknown"


def test_the_echo_of_a_reply_whose_object_we_were_not_told_is_known_by_its_text(
    world: World, github: GitHubStandIn
) -> None:
    github.program(["created_garbage"])
    assert replied(world)["state"] == "sent"
    assert is_dropped(world.deliver(comment(7, 99, "On it."), "issue_comment"))


def test_the_signature_line_is_part_of_the_echo(world: World, github: GitHubStandIn) -> None:
    github.program(["created_garbage"])
    world.connect("octo", signature="-- the fixer")
    assert world.source
    world.deliver(world.issue(7))
    dial(world.lib, world.reply(world.claim(), "On it.").json["reply_id"])
    echo = comment(7, 99, "On it.\n\n-- the fixer")
    assert is_dropped(world.deliver(echo, "issue_comment"))


def test_an_echo_is_known_for_a_day(world: World) -> None:
    replied(world)
    with world.lib.db.write() as session:
        session.execute(update(Reply).values(created_at=clock.ago(90_000)))
    assert not is_dropped(world.deliver(comment(7, FIRST_ID, "x"), "issue_comment"))


def test_another_owners_post_is_no_echo_of_ours(world: World) -> None:
    from switchboard.access import accounts

    replied(world)
    accounts.create(world.lib, accounts.NewAccount("bob", "bob@example.org"))
    world.vend("bobs", owner="bob")
    theirs = world.add_source("theirs", owner="bob")
    echo = comment(7, FIRST_ID, "On it.")
    assert not is_dropped(world.deliver(echo, "issue_comment", source=theirs))


def test_a_failed_reply_has_no_echo(world: World, github: GitHubStandIn) -> None:
    github.program(["locked_422"])
    assert replied(world)["state"] == "failed"
    assert not is_dropped(world.deliver(comment(7, 99, "On it."), "issue_comment"))
