"""A person sees what can be answered by mail in his name, and ends that: one place, or all of it."""

from __future__ import annotations

import re

from switchboard.access.principals import Machine
from switchboard.lib import clock, ids
from switchboard.mail import answerable
from tests.mail.post import PostOffice
from tests.sessions.desk import Desk
from tests.web.conftest import Human, ana

__all__ = ["ana"]  # a fixture

PAGE = "/settings/account"


def withdraw(human: Human, place_id: str | None = None) -> str:
    part = f"{place_id}/" if place_id else ""
    answer = human.send(f"{PAGE}/mails/{part}withdraw", seen_at=PAGE)
    assert answer.status_code == 302, answer.text
    return human.read(PAGE)


def test_what_can_be_answered_is_listed_by_place_and_no_token_is_shown(
    post: PostOffice, ana: Human
) -> None:
    assert "There is none." in ana.read(PAGE)
    first, second = post.token(), post.token()
    forum = post.thread("forum", repo="acme/moon")
    post.token(forum["id"])
    page = ana.read(PAGE)
    assert "It smokes (acme/rocket#1)" in page and "2 mails, never answered" in page
    assert page.index("A thread (acme/moon#1)") < page.index("It smokes")  # the newest first
    ends = clock.ahead(90 * 86_400).strftime("%-d %b %Y")
    assert f">{ends}</time>" in page and f'href="/threads/{forum["id"]}"' in page
    assert not {first, second} & set(re.findall(r"[a-z2-7]{26}", page))


def test_a_question_and_a_todo_are_listed_by_their_words(post: PostOffice, ana: Human) -> None:
    desk = Desk(post.world)
    assert desk.todo and desk.register().status_code in (200, 201)
    desk.ask("Which fuse?")
    [question] = desk.open()
    post.token(question["id"])
    post.token(desk.todo["id"])
    page = ana.read(PAGE)
    assert "Which fuse?" in page and "question, 1 mail" in page
    assert desk.todo["title"] in page and "todo, 1 mail" in page


def test_an_answer_is_seen_to_have_used_it(post: PostOffice, ana: Human) -> None:
    post.deliver(post.write())
    page = ana.read(PAGE)
    assert re.search(r"1 mail, answered <time", page) and "never answered" not in page


def test_withdrawing_one_place_ends_its_mails_and_no_others(post: PostOffice, ana: Human) -> None:
    forum = post.thread("forum", repo="acme/moon")
    old, newer, other = post.address(), post.address(), post.address(forum["id"])
    page = withdraw(ana, post.ticket["id"])
    assert "2 mails can be answered no more." in page and "It smokes" not in page
    assert [post.deliver(post.write(to=each))["code"] for each in (old, newer, other)] == [
        "revoked_token",
        "revoked_token",
        "accepted",
    ]
    assert post.deliver(post.write())["code"] == "accepted"  # a new mail's token is good
    [event] = post.world.operator("GET", "/events?type=mail.withdrawn").json["events"]
    assert (event["actor"], event["data"]) == ("ana", {"count": 2, "place": post.ticket["id"]})


def test_withdrawing_all_leaves_nothing_to_answer(post: PostOffice, ana: Human) -> None:
    addresses = [post.address(), post.address(post.thread("forum", repo="acme/moon")["id"])]
    assert "There is none." in withdraw(ana)
    codes = {post.deliver(post.write(to=each))["code"] for each in addresses}
    assert codes == {"revoked_token"}


def test_nobody_withdraws_or_sees_another_s(post: PostOffice, ana: Human) -> None:
    ben = post.ben()
    post.token(account_id=ben)
    assert "There is none." in ana.read(PAGE)
    post.token(post.thread("forum", repo="acme/moon")["id"])
    ticket = f"{PAGE}/mails/{post.ticket['id']}/withdraw"
    assert ana.send(ticket, seen_at=PAGE).status_code == 404
    withdraw(ana)
    listed, _ = answerable.listed(post.world.lib, Machine(), account="ben")
    assert [each["id"] for each in listed] == [post.ticket["id"]]


def test_what_is_out_of_view_is_listed_without_a_word_of_it(post: PostOffice) -> None:
    post.token(account_id=post.ben())
    [each], _ = answerable.listed(post.world.lib, Machine(), account="ben")
    assert (each["kind"], each["title"], each["path"]) == ("gone", None, None)


def test_a_long_list_is_paged(post: PostOffice, ana: Human) -> None:
    places = [ids.new("thread") for _ in range(answerable.MAX_PAGE + 1)]
    for place_id in places:
        post.token(place_id)
    page = ana.read(PAGE)
    older = re.search(r'href="([^"]+)">Older mails', page)
    assert older and places[0] not in page and places[1] in page
    page = ana.read(older[1].partition("#")[0])
    assert places[0] in page and places[1] not in page and "Older mails" not in page
