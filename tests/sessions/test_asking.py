"""An agent asks a human."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update

from switchboard.errors import BadRequest, Problem
from switchboard.lib import clock
from switchboard.models import Event
from switchboard.replies import marker
from tests.sessions.desk import REF, Desk
from tests.standins.github import GitHubStandIn
from tests.world import CONNECTION_SECRET


def test_a_question_from_the_command_line_is_posted_marked_and_recorded(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.world.connection
    asked = desk.ask_here("Which *way*?\n\n- left\n- right", actor="root")
    [post] = github.posts
    assert (asked.posted, asked.exit_code) == (True, 0), asked
    assert post.path.endswith("/repos/acme/rocket/issues/7/comments")
    assert post.json["body"].startswith("Which *way*?\n\n- left\n- right\n")
    assert post.json["body"].count(marker.MARKER) == 1
    [event] = desk.events()
    assert (event["type"], event["actor"], event["ref"]) == (
        "session.awaiting_input",
        "command line",
        REF,
    )
    told = event["data"]
    assert (told["work_item"], told["actor"], told["comment_posted"]) == (REF, "root", True)
    assert told["comment_url"] == asked.comment_url != ""


def test_a_question_that_nobody_can_post_is_recorded_with_a_warning(desk: Desk) -> None:
    assert desk.world.account
    asked = desk.ask_here()
    assert (asked.posted, asked.exit_code) == (False, 1)
    assert "no github connection" in asked.messages[0]
    [event] = desk.events()
    assert (event["data"]["comment_posted"], event["data"]["level"]) == (False, "warning")
    assert [each["question"] for each in desk.open()] == ["Which way?"]


@pytest.mark.parametrize("answer", ["forbidden", "server_error"])
def test_a_provider_that_does_not_take_it_leaves_a_question_that_waits(
    desk: Desk, github: GitHubStandIn, answer: str
) -> None:
    assert desk.world.connection
    github.program(answer)
    assert desk.ask_here().exit_code == 1
    [question] = desk.open()
    assert (question["question"], question["comment_posted"]) == ("Which way?", False)
    assert desk.events()[0]["data"]["level"] == "warning"


def test_a_question_whose_comment_failed_may_be_asked_again(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.world.connection
    github.program(["forbidden"])
    first, second = desk.ask_here(), desk.ask_here()
    assert (first.exit_code, second.exit_code, second.duplicate) == (1, 0, False)


def test_a_question_whose_comment_fails_again_and_again_is_one_question(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.world.connection
    github.program("forbidden")
    asked = [desk.ask_here() for _ in range(3)]
    assert [(each.exit_code, each.duplicate) for each in asked] == [
        (1, False),
        (1, True),
        (1, True),
    ]
    assert len(desk.events()) == 1


def test_the_same_question_asked_at_once_is_recorded_once(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.world.connection
    github.delay_ms = 200
    with ThreadPoolExecutor(4) as pool:
        asked = list(pool.map(lambda _: desk.ask_here(), range(4)))
    assert [each.duplicate for each in asked].count(False) == 1
    assert len(github.posts) == len(desk.events()) == 1


def test_a_question_asked_after_the_clock_was_set_back_waits(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.todo and desk.register()
    desk.ask()
    desk.answer()
    with desk.world.lib.db.write() as session:
        session.execute(update(Event).values(at=clock.ahead(3600)))
    desk.ask("And now?")
    assert [each["question"] for each in desk.open()] == ["And now?"]
    desk.answer()
    assert desk.open() == []


def test_a_question_of_which_nobody_knows_whether_it_stands_is_not_posted_again(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.world.connection
    github.program(["server_error"])
    first, second = desk.ask_here(), desk.ask_here()
    assert (first.exit_code, second.exit_code, second.duplicate) == (1, 1, True)
    assert len(github.posts) == 1


@pytest.mark.parametrize("answer", ["created_garbage", "created_empty"])
def test_a_201_that_does_not_parse_counts_as_posted_without_a_url(
    desk: Desk, github: GitHubStandIn, answer: str
) -> None:
    assert desk.world.connection
    github.program(answer)
    asked = desk.ask_here()
    assert (asked.posted, asked.comment_url, asked.exit_code) == (True, "", 0)


def test_the_same_question_still_open_is_not_asked_twice(desk: Desk, github: GitHubStandIn) -> None:
    assert desk.world.connection
    first, second = desk.ask_here(), desk.ask_here()
    assert (second.duplicate, second.exit_code, second.comment_url) == (True, 0, first.comment_url)
    assert len(github.posts) == len(desk.events()) == 1


@pytest.mark.parametrize(
    ("ref", "question", "code"),
    [
        ("github:acme#7", "Which way?", "malformed_ref"),
        ("", "Which way?", "malformed_ref"),
        (REF, " \n\u200b", "empty_text"),
    ],
)
def test_what_cannot_be_asked_leaves_nothing_behind(
    desk: Desk, github: GitHubStandIn, ref: str, question: str, code: str
) -> None:
    assert desk.world.connection
    with pytest.raises(BadRequest) as refused:
        desk.ask_here(question, ref)
    assert refused.value.code == code
    assert (github.posts, desk.open()) == ([], [])


def test_where_several_could_own_a_question_the_command_line_must_say_whose(desk: Desk) -> None:
    from switchboard.access import accounts

    assert desk.world.connection
    accounts.create_team(desk.world.lib, "core")
    with pytest.raises(Problem) as refused:
        desk.ask_here()
    assert "--owner" in refused.value.detail
    assert desk.ask_here(owner="ana").posted


def test_an_agent_asks_on_the_work_item_of_its_todo(desk: Desk, github: GitHubStandIn) -> None:
    assert desk.todo
    answer = desk.ask()
    assert (answer.status_code, answer.json["comment_posted"]) == (
        200,
        False,
    )  # nobody waits for it
    [event] = desk.events()
    assert event["actor"] == "agent asker"
    dial_all(desk)
    assert [post.json["body"].splitlines()[0] for post in github.posts] == ["Which way?"]
    [question] = desk.open()
    assert (question["comment_posted"], question["comment_url"] != "") == (True, True)
    assert desk.ask().json["duplicate"] is True


def dial_all(desk: Desk) -> None:
    """What the worker does with the questions that were rung for."""
    from switchboard.replies.dial import dial

    for question in desk.events():
        dial(desk.world.lib, question["data"]["reply"])


def test_an_agent_without_the_reply_verb_has_nothing_posted_and_its_wait_recorded(
    desk: Desk, github: GitHubStandIn
) -> None:
    desk.world.endpoint = desk.world.vend("quiet", verbs=["drain", "session"])
    desk.world.claimed(7)
    answer = desk.ask().json
    assert (answer["comment_posted"], answer["exitCode"]) == (False, 1)
    assert "reply verbs" in answer["messages"][0]
    assert (github.posts, len(desk.open())) == ([], 1)


def test_an_agent_has_nothing_posted_on_a_work_item_it_holds_no_todo_of(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.todo
    answer = desk.ask(ref="github:acme/rocket#8").json
    assert (answer["comment_posted"], answer["exitCode"]) == (False, 1)
    assert github.posts == []
    assert desk.events("github:acme/rocket#8")[0]["data"]["comment_posted"] is False


def test_an_agent_cannot_put_its_question_in_the_place_of_anothers(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.todo and desk.register()
    desk.ask("May I delete everything?")
    other = desk.world.vend("other", verbs=["drain", "reply", "session"])
    refused = desk.world.agent(
        "POST", "/sessions/ask", {"ref": REF, "question": "Is it a fine day?"}, by=other
    )
    assert (refused.status_code, refused.json["code"]) == (409, "not_claimed")
    assert [each["question"] for each in desk.open()] == ["May I delete everything?"]


def test_a_finished_todo_is_held_no_more(desk: Desk, github: GitHubStandIn) -> None:
    desk.world.agent("POST", f"/todos/{desk.todo['id']}/complete")
    assert desk.ask().json["exitCode"] == 1
    assert github.posts == []


def test_an_agent_without_the_session_verbs_cannot_ask(desk: Desk) -> None:
    assert desk.world.claimed(7)
    answer = desk.ask()
    assert (answer.status_code, answer.json["code"]) == (403, "forbidden")


def test_a_question_on_a_todo_itself_is_a_comment_on_it(desk: Desk) -> None:
    ref = f"todo:{desk.todo['id']}"
    answer = desk.ask(ref=ref).json
    assert (answer["comment_posted"], answer["exitCode"]) == (True, 0)
    assert answer["comment_url"].endswith(f"/todos/{desk.todo['id']}")
    [comment] = desk.world.agent("GET", f"/todos/{desk.todo['id']}/comments").json["comments"]
    assert comment["body"].startswith("Which way?")
    assert marker.is_marked(comment["body"])


def test_a_credential_in_a_question_is_not_posted_and_not_shown(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.todo
    answer = desk.ask("Is it ghp_" + "a1B2" * 9 + "?").json
    assert "looks like a credential" in answer["messages"][0]
    assert github.posts == []
    assert CONNECTION_SECRET not in str(desk.events())
