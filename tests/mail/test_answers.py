"""A mailed answer reaches the agent that asked; one that comes too late is kept and said to be late."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.replies import dial, store
from switchboard.sessions import registry
from switchboard.sessions.registry import NewPane
from tests.mail.post import PostOffice
from tests.sessions.desk import REF, Desk
from tests.standins.github import GitHubStandIn


@pytest.fixture
def desk(post: PostOffice) -> Desk:
    """An agent that holds issue 7, with a mailbox, and asked."""
    desk = Desk(post.world)
    assert desk.todo
    assert desk.register().status_code in (200, 201)
    assert desk.ask("Which fuse?").status_code == 200
    return desk


def mail(post: PostOffice, desk: Desk, text: str = "Take fuse B.") -> EmailMessage:
    [question] = desk.open()
    return post.write(text, to=post.address(question["id"]))


def notes(post: PostOffice, desk: Desk) -> list[tuple[str, str | None]]:
    found = post.world.operator("GET", f"/todos/{desk.todo['id']}/comments").json["comments"]
    return [(each["body"], each.get("note")) for each in found if each["via"] == "email"]


def test_the_agent_gets_what_was_typed_and_nothing_else(post: PostOffice, desk: Desk) -> None:
    delivery = post.deliver(mail(post, desk))
    [message] = desk.collect().json["messages"]
    assert (message["text"], message["via"], message["actor"]) == ("Take fuse B.", "email", "ana")
    assert desk.open() == [] and notes(post, desk) == []
    assert delivery["outcome"]["artifacts"] == [{"type": "answer", "id": message["id"]}]


def test_an_answer_after_the_answer_is_a_late_comment(post: PostOffice, desk: Desk) -> None:
    late = mail(post, desk, "No, fuse A.")
    desk.answer("Fuse B.")
    delivery = post.deliver(late)
    assert delivery["code"] == "late_answer", delivery
    [(body, note)] = notes(post, desk)
    assert body == "No, fuse A." and note and "had been answered" in note
    assert delivery["code"] == "late_answer"
    assert [each["text"] for each in desk.collect().json["messages"]] == ["Fuse B."]


def test_an_answer_to_a_question_asked_anew_does_not_answer_the_new_one(
    post: PostOffice, desk: Desk
) -> None:
    old = mail(post, desk)
    desk.ask("Which wire?")
    assert post.deliver(old)["code"] == "late_answer"
    assert [each["question"] for each in desk.open()] == ["Which wire?"]


def test_an_answer_to_a_question_asked_again_in_the_same_words_is_its_answer(
    post: PostOffice, desk: Desk, github: GitHubStandIn
) -> None:
    old = mail(post, desk)
    github.program(["forbidden"])
    dial.dial(post.world.lib, desk.events()[0]["data"]["reply"])
    desk.ask("Which fuse?")
    assert [e["type"] for e in desk.events()].count("session.awaiting_input") == 2
    assert post.deliver(old)["code"] == "accepted"
    assert [each["text"] for each in desk.collect().json["messages"]] == ["Take fuse B."]


def test_an_answer_that_its_pane_does_not_take_is_kept_and_says_so(
    post: PostOffice, desk: Desk
) -> None:
    answer = mail(post, desk)
    registry.register_pane(post.world.lib, Machine(), NewPane(REF, "gone:0.0", owner="ana"))
    assert post.deliver(answer)["code"] == "session_ended"
    [(body, note)] = notes(post, desk)
    assert body == "Take fuse B." and note and "its pane is gone, or could not take it" in note
    assert [each["question"] for each in desk.open()] == ["Which fuse?"]


@pytest.mark.parametrize(("act", "code"), [("pause", "session_paused"), ("end", "session_ended")])
def test_a_session_that_takes_none_leaves_the_answer_as_a_comment(
    post: PostOffice, desk: Desk, act: str, code: str
) -> None:
    answer = mail(post, desk)
    getattr(registry, act)(post.world.lib, Machine(), REF)
    assert post.deliver(answer)["code"] == code
    [(body, note)] = notes(post, desk)
    assert body == "Take fuse B." and note and "session" in note


def test_a_comment_on_work_from_elsewhere_is_relayed_there_once(
    post: PostOffice, desk: Desk
) -> None:
    accounts.set_letters(post.world.lib, "ana", "ncflax")
    delivery = post.deliver(post.write(to=post.address(desk.todo["id"])))
    assert [each["type"] for each in delivery["outcome"]["artifacts"]] == ["comment", "reply"]
    reply_id = delivery["outcome"]["artifacts"][1]["id"]
    dial.dial(post.world.lib, reply_id)
    dial.dial(post.world.lib, reply_id)
    with post.world.lib.db.read() as session:
        row = store.by_id(session, reply_id)
        assert row is not None
        assert (row.purpose, row.state) == ("relay", "sent")
        assert row.text == "Take fuse B.\n\n- ana, by mail"


def test_without_the_letter_for_it_nothing_is_relayed(post: PostOffice, desk: Desk) -> None:
    accounts.set_letters(post.world.lib, "ana", "ncfla")
    delivery = post.deliver(post.write(to=post.address(desk.todo["id"])))
    assert [each["type"] for each in delivery["outcome"]["artifacts"]] == ["comment"]


def test_a_secret_in_a_comment_is_not_relayed_and_the_comment_stands(
    post: PostOffice, desk: Desk
) -> None:
    accounts.set_letters(post.world.lib, "ana", "ncflax")
    leak = "Use ghp_" + "a1B2" * 9
    delivery = post.deliver(post.write(leak, to=post.address(desk.todo["id"])))
    assert [each["type"] for each in delivery["outcome"]["artifacts"]] == ["comment"]
    assert delivery["code"] == "not_relayed" and "not relayed" in delivery["reason"]
