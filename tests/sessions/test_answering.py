"""A human answers an agent: each row of the table in docs/api.md, and what lands where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import select

from switchboard.access import accounts
from switchboard.access.accounts import NewAccount
from switchboard.access.principals import Machine
from switchboard.inbound.sources import Added
from switchboard.models import Reply
from switchboard.replies import marker
from switchboard.replies.dial import dial
from switchboard.sessions import registry
from switchboard.sessions.framing import frame
from switchboard.sessions.registry import NewPane
from switchboard.sessions.tmux import Pane
from tests.sessions import panes
from tests.sessions.desk import REF, VERBS, Desk
from tests.sessions.panes import TMUX, Tmux
from tests.standins.github import GitHubStandIn
from tests.world import payload

needs_tmux = pytest.mark.skipif(TMUX is None, reason="needs tmux")


def as_somebody_else(desk: Desk, letters: str = "ncfla") -> str:
    """Another account, whose token the operator's calls then carry."""
    accounts.create(desk.world.lib, NewAccount("eve", "eve@example.org", letters=letters))
    token = accounts.mint_token(desk.world.lib, "eve")
    desk.world.operator_token = token
    return token


def test_an_answer_reaches_the_mailbox_of_the_agent_and_says_when_it_was_seen(desk: Desk) -> None:
    assert desk.todo and desk.register().status_code == 201
    answer = desk.answer("Left.\n\nThen right.", comment=False)
    assert (answer.status_code, answer.json) == (
        200,
        {"messages": ["Queued; the agent was last seen just now."], "exitCode": 0},
    )
    [message] = desk.collect().json["messages"]
    assert (message["text"], message["actor"], message["state"]) == (
        "Left.\n\nThen right.",
        "ana",
        "delivered",
    )


def test_without_a_credential_nobody_answers(desk: Desk) -> None:
    answer = desk.world.client.post("/api/v1/sessions/reply", json={"ref": REF, "text": "Left."})
    assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")


def test_an_account_without_the_letter_a_is_refused_by_its_name(desk: Desk) -> None:
    assert desk.todo and desk.register()
    accounts.set_letters(desk.world.lib, "ana", "ncfl")
    answer = desk.answer()
    assert (answer.status_code, answer.json["code"], answer.json["letter"]) == (
        403,
        "missing_capability",
        "a",
    )


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"ref": "github:acme"}, "malformed_ref"),
        ({"ref": ""}, "malformed_ref"),
        ({"text": " \t\n"}, "empty_text"),
        ({"text": "\x1b\x07"}, "empty_text"),
    ],
)
def test_what_cannot_be_an_answer_is_a_bad_request(
    desk: Desk, wanted: dict[str, Any], code: str
) -> None:
    assert desk.todo and desk.register()
    answer = desk.answer(**wanted)
    assert (answer.status_code, answer.json["code"]) == (400, code)


def test_where_no_agent_waits_the_answer_says_what_to_do_instead(desk: Desk) -> None:
    answer = desk.answer()
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert "Answer on the ticket, or start or resume the work item" in answer.json["detail"]


def test_somebody_elses_session_looks_like_none(desk: Desk) -> None:
    assert desk.todo and desk.register()
    as_somebody_else(desk)
    foreign, none = desk.answer(), desk.answer(ref="github:acme/rocket#8")
    assert (foreign.status_code, foreign.data) == (404, none.data)


def test_a_paused_session_takes_no_answer_until_it_is_resumed(desk: Desk) -> None:
    session = desk.todo and desk.register().json
    desk.world.operator("POST", f"/sessions/{session['id']}/pause")
    refused = desk.answer()
    assert (refused.status_code, refused.json["code"]) == (400, "session_paused")
    assert refused.json["detail"] == "The session is paused; resume it first."
    desk.world.operator("POST", f"/sessions/{session['id']}/resume")
    assert desk.answer().status_code == 200


def test_an_ended_session_takes_no_answer(desk: Desk) -> None:
    session = desk.todo and desk.register().json
    desk.world.operator("POST", f"/sessions/{session['id']}/end")
    assert desk.answer().status_code == 404


@pytest.fixture(scope="module")
def tmux() -> Iterator[Tmux]:
    with panes.server() as server:
        yield server


def in_pane(desk: Desk, pane: Pane) -> dict[str, Any]:
    """An agent registered on the machine itself, in that pane."""
    assert desk.world.connection
    new = NewPane(REF, pane.target, pane.socket)
    return registry.register_pane(desk.world.lib, Machine(), new)


@needs_tmux
def test_an_answer_is_pasted_into_the_pane_of_the_agent_in_its_frame(
    desk: Desk, tmux: Tmux, request: pytest.FixtureRequest
) -> None:
    agent = tmux.agent(f"reads-{request.node.callspec.id}")
    in_pane(desk, agent.pane)
    answer = desk.answer("Left.", actor="the boss", comment=False)
    assert (answer.status_code, answer.json["exitCode"]) == (200, 0)
    framed = frame(REF, "Left.", "ana").encode()
    assert agent.reads(len(framed)).startswith(b"\x1b[200~" + framed)
    [event] = [e for e in desk.events() if e["type"] == "session.reply_sent"]
    assert (event["actor"], event["data"]["claimed_actor"], event["data"]["via"]) == (
        "ana",
        "the boss",
        "api",
    )


@needs_tmux
def test_an_answer_to_a_dead_pane_is_refused_and_starts_nothing(desk: Desk, tmux: Tmux) -> None:
    in_pane(desk, Pane("nobody:0.0", tmux.socket))
    before = tmux.processes()
    answer = desk.answer()
    assert (answer.status_code, answer.json["code"]) == (404, "not_found")
    assert "Answer on the ticket, or start or resume the work item" in answer.json["detail"]
    assert tmux.processes() == before
    assert [e["type"] for e in desk.events()] == ["session.registered"]


@needs_tmux
def test_an_answer_does_not_go_to_another_pane_that_has_come_by_the_name(
    desk: Desk, tmux: Tmux, request: pytest.FixtureRequest
) -> None:
    name = f"first-{request.node.callspec.id}"
    session = in_pane(desk, tmux.agent(name).pane)
    tmux("kill-session", "-t", f"={name}")
    other = tmux.agent(name)
    answer = desk.answer()
    assert answer.status_code == 404 and "is another one" in answer.json["detail"]
    assert other.heard.read_bytes() == b""
    assert in_pane(desk, other.pane)["id"] == session["id"]
    assert desk.answer(comment=False).json["exitCode"] == 0


def test_a_paused_pane_that_is_registered_again_stays_paused(desk: Desk) -> None:
    session = in_pane(desk, Pane("nobody:0.0"))
    desk.world.operator("POST", f"/sessions/{session['id']}/pause")
    assert in_pane(desk, Pane("nobody:0.0"))["state"] == "paused"


@needs_tmux
def test_a_pane_that_cannot_take_it_now_is_said_and_may_be_tried_again(
    desk: Desk, tmux: Tmux, request: pytest.FixtureRequest
) -> None:
    agent = tmux.agent(f"deaf-{request.node.callspec.id}")
    in_pane(desk, agent.pane)
    tmux("select-pane", "-d", "-t", agent.pane.target)
    deaf = desk.answer(comment=False)
    assert (deaf.status_code, deaf.json["exitCode"]) == (200, 1)
    assert "takes no input" in deaf.json["messages"][0]
    tmux("select-pane", "-e", "-t", agent.pane.target)
    assert desk.answer(comment=False).json["exitCode"] == 0


@needs_tmux
def test_a_paused_session_is_told_from_a_dead_one_first(desk: Desk, tmux: Tmux) -> None:
    session = in_pane(desk, Pane("nobody:0.0", tmux.socket))
    desk.world.operator("POST", f"/sessions/{session['id']}/pause")
    assert desk.answer().json["code"] == "session_paused"


def reports(desk: Desk, github: GitHubStandIn) -> list[str]:
    """What the worker posts of the reports, and of nothing else."""
    with desk.world.lib.db.read() as session:
        ids = session.scalars(select(Reply.id).where(Reply.purpose == "report")).all()
    for reply_id in ids:
        dial(desk.world.lib, reply_id)
    return [post.json["body"] for post in github.posts]


def test_the_answer_is_reported_on_the_work_item_quoted_and_marked(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.todo and desk.register()
    answer = desk.answer("Left.\n\n@everyone: right.").json
    assert "The answer stands. The comment waits for its turn" in answer["messages"][1]
    [body] = reports(desk, github)
    assert body.startswith("> Left.\n>\n> @everyone: right.\n\n[sent by Switchboard")
    assert body.count(marker.MARKER) == 1


def test_no_line_of_an_answer_leaves_its_quotation(desk: Desk, github: GitHubStandIn) -> None:
    assert desk.todo and desk.register()
    desk.answer("Left.\r\r# Not a heading\x1b[201~\x85")
    [body] = reports(desk, github)
    assert body.startswith("> Left.\n>\n> # Not a heading[201~\n\n[sent by Switchboard")


def test_an_answer_is_not_reported_when_nobody_wants_it(desk: Desk, github: GitHubStandIn) -> None:
    assert desk.todo and desk.register()
    desk.answer(comment=False)
    assert reports(desk, github) == []


def test_an_answer_whose_report_cannot_be_posted_stands_with_a_warning(desk: Desk) -> None:
    assert desk.todo and desk.register()
    desk.world.operator("DELETE", f"/connections/{desk.world.connection['id']}")
    answer = desk.answer()
    assert (answer.status_code, answer.json["exitCode"]) == (200, 0)
    assert answer.json["messages"][1].startswith("The answer stands. The owner has no github")
    assert len(desk.collect().json["messages"]) == 1


def comes_back(desk: Desk, text: str, login: str) -> dict[str, Any]:
    """What the router makes of a comment that GitHub reports."""
    body = payload("github/issue_comment.created")
    body["repository"]["full_name"] = "acme/rocket"
    body["comment"] |= {"body": text, "id": 5_000_000_000 + desk.world.sent}
    body["comment"]["user"]["login"] = login
    answer = desk.world.deliver(body, "issue_comment")
    assert answer.status_code in (200, 202), answer.data
    found: dict[str, Any] = answer.json
    return found


def test_what_bears_the_mark_and_comes_from_ourselves_is_no_work(desk: Desk) -> None:
    assert desk.todo
    found = desk.world.operator("POST", f"/connections/{desk.world.connection['id']}/test").json
    heard = comes_back(desk, marker.stamp("Something", "a question"), found["identity"].upper())
    assert (heard["cause"], heard["created"]) == ("self_reply", 0)


def test_a_person_who_quotes_the_mark_still_gets_through(desk: Desk) -> None:
    assert desk.todo
    desk.world.operator("POST", f"/connections/{desk.world.connection['id']}/test")
    heard = comes_back(desk, marker.stamp("Something", "a question"), "a-person")
    assert (heard["cause"], heard["created"]) == (None, 1)


def test_a_question_that_comes_back_through_the_webhook_makes_no_todo(
    desk: Desk, github: GitHubStandIn
) -> None:
    assert desk.world.source and desk.world.connection
    assert desk.ask_here().posted
    [post] = github.posts
    body = payload("github/issue_comment.created")
    body["repository"]["full_name"], body["issue"]["number"] = "acme/rocket", 7
    body["comment"] |= {"body": post.json["body"], "id": 2_000_000_001}
    heard = desk.world.deliver(body, "issue_comment").json
    assert (heard["cause"], heard["created"]) == ("self_reply", 0)


def test_a_work_item_that_an_agent_could_have_aimed_at_gets_no_report_unless_it_is_admitted(
    desk: Desk,
) -> None:
    desk.world.endpoint = desk.world.vend("asker", verbs=[*VERBS, "webhook"])
    hook = {"kind": "github", "name": "mine", "secret": "a secret the agent knows 0123456789"}
    made = desk.world.agent("POST", "/webhooks", hook).json
    source = Added(made, hook["secret"])
    assert desk.world.connection
    assert desk.world.deliver(desk.world.issue(7), source=source).status_code == 202
    assert desk.world.claim() and desk.register().status_code == 201
    asked, answered = desk.ask().json, desk.answer().json
    assert "does not admit acme/rocket" in asked["messages"][0]
    assert "does not admit acme/rocket" in answered["messages"][1]
