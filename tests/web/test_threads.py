"""Threads on the pages: opened, talked on, adopted, closed; verdicts by commit."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from switchboard.access import accounts
from switchboard.inbound.sources import Added
from switchboard.lib import clock, ids
from switchboard.models import Thread
from tests.web.conftest import Human
from tests.world import World

COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
NASTY = '<script>alert(1)</script> & "x"'


@pytest.fixture
def ci(world: World) -> Added:
    assert world.endpoint
    return world.add_source("ci", "signed", repo="acme/rocket", letters="nck")


def say(world: World, source: Added, **body: Any) -> Any:
    """Send as the source; the artifact it became."""
    world.sent += 1
    answer = world.signed(source, body, {"X-Switchboard-Delivery": f"d{world.sent}"})
    assert answer.status_code == 202, answer.json
    return answer.json["artifacts"][0]


def open_thread(human: Human, **fields: str) -> Any:
    given = {"kind": "ticket", "repo": "acme/rocket", "owner": "", "title": "It smokes", "body": ""}
    return human.send("/threads", **{**given, **fields})


def opened(human: Human, **fields: str) -> str:
    """The path of a thread just opened."""
    answer = open_thread(human, **fields)
    assert answer.status_code == 302, answer.text
    return str(answer.location)


def test_it_has_its_word_in_the_navigation(ana: Human) -> None:
    page = ana.read("/threads")
    assert re.search(r'<a href="/threads" aria-current="page">Threads</a>', page)
    assert "No thread yet" in page


def test_a_thread_is_opened_and_shown_with_who_and_how(ana: Human) -> None:
    path = opened(ana, title="It smokes", body="Since noon.", labels="fuel, hot")
    page = ana.read(path)
    for part in ("It smokes", "Since noon.", "fuel, hot", "ticket:acme/rocket#1", "via page"):
        assert part in page
    assert "It smokes" in ana.read("/threads")


def test_what_was_typed_is_not_lost_on_an_error(ana: Human) -> None:
    answer = open_thread(ana, repo="../etc", title="Kept", body="Kept too")
    assert answer.status_code == 422
    assert 'value="Kept"' in answer.text and "Kept too" in answer.text
    assert re.search(r'id="repo-error">A repo is named like', answer.text)


def test_a_comment_stands_under_the_thread(ana: Human) -> None:
    path = opened(ana)
    answer = ana.send(f"{path}/comments", seen_at=path, body="Put it out.")
    assert answer.status_code == 302 and answer.location.startswith(f"{path}#cm_")
    page = ana.read(path)
    assert "Put it out." in page and "1 comment" in page


def test_an_empty_comment_is_told_beside_its_field(ana: Human) -> None:
    path = opened(ana)
    for body, said in (("", "Say something."), ("  ", "The text is empty.")):
        answer = ana.send(f"{path}/comments", seen_at=path, body=body)
        assert answer.status_code == 422 and f'id="body-error">{said}' in answer.text


def test_what_strangers_wrote_is_text_and_never_markup(ana: Human, world: World, ci: Added) -> None:
    ticket = say(world, ci, kind="ticket", title=NASTY, body=NASTY, labels=["<i>"])
    say(world, ci, kind="comment", ticket=1, body=NASTY)
    say(world, ci, kind="checks", commit=COMMIT, name=NASTY, state="success", summary=NASTY)
    todo = world.claim()["id"]
    for path in (
        f"/threads/{ticket['id']}",
        "/threads?repo=acme/rocket",
        "/verdicts",
        f"/todos/{todo}",
    ):
        raw = ana.get(path).text
        assert "&lt;script&gt;" in raw and "<script>alert" not in raw and "<i>" not in raw


def test_a_ticket_is_adopted_closed_and_reopened(ana: Human, world: World, ci: Added) -> None:
    path = f"/threads/{say(world, ci, kind='ticket', title='Red again')['id']}"
    assert ">unadopted<" in ana.read(path) and "by nobody yet" in ana.read(path)
    ana.send(f"{path}/adopt", seen_at=path)
    page = ana.read(path)
    assert re.search(r"<dt>Adopted</dt><dd>by <b>ana</b>", page) and "Adopt</button>" not in page
    ana.send(f"{path}/close", seen_at=path)
    assert ">closed<" in ana.read(path)
    ana.send(f"{path}/reopen", seen_at=path)
    assert ">open<" in ana.read(path)


@pytest.mark.parametrize("act", ["comments", "adopt", "close", "reopen"])
def test_nothing_is_changed_without_the_pages_token(ana: Human, world: World, act: str) -> None:
    path = opened(ana)
    answer = ana.client.post(f"{path}/{act}", data={"body": "x"})
    assert answer.status_code == 403
    found = world.operator("GET", path).json
    assert (found["comments"], found["adopted_at"], found["state"]) == ([], None, "open")


def test_a_mirror_offers_nothing_to_write_with(ana: Human, world: World) -> None:
    new = {"repo": "r", "kind": "ticket", "title": "x", "mirror_of": "https://example.org/9"}
    path = "/threads/" + world.operator("POST", "/threads", new).json["id"]
    page = ana.read(path)
    assert "It mirrors https://example.org/9" in page
    assert "<textarea" not in page and "Close</button>" not in page
    answer = ana.send(f"{path}/comments", seen_at="/threads", body="x")
    assert answer.status_code == 422 and "mirror_read_only" in answer.text


def test_without_the_letter_there_is_no_form(ana: Human, world: World) -> None:
    path = opened(ana)
    accounts.set_letters(world.lib, "ana", "fl")
    assert "lacks the letter c" in ana.read(path)
    assert 'value="ticket"' not in ana.read("/threads")
    accounts.set_letters(world.lib, "ana", "a")
    assert "lacks the letters n, f and l" in ana.read("/threads")


def test_another_accounts_thread_is_not_there(ana: Human, bob: Human) -> None:
    path = opened(ana, repo="anas-own")
    assert bob.get(path).status_code == 404
    for act in ("comments", "adopt", "close", "reopen"):
        assert bob.send(f"{path}/{act}", seen_at="/threads", body="x").status_code == 404
    assert "It smokes" not in bob.read("/threads") and "anas-own" not in bob.read("/threads")


def test_the_filters_are_the_address(ana: Human) -> None:
    opened(ana, title="A ticket")
    opened(ana, title="A talk", kind="forum", repo="moon")
    answer = ana.get("/threads?repo=&kind=forum&state=")
    assert (answer.status_code, answer.location) == (302, "/threads?kind=forum")
    page = ana.read("/threads?kind=forum")
    assert "A talk" in page and "A ticket" not in page
    assert "No thread matches" in ana.read("/threads?state=closed")


def test_older_threads_and_later_comments_are_one_link_away(ana: Human, world: World) -> None:
    path = opened(ana, title="The first one")
    for number in range(51):
        world.operator("POST", path + "/comments", {"body": f"Said {number}."})
        new = {"repo": "r", "kind": "forum", "title": f"Number {number}"}
        world.operator("POST", "/threads", new)
    page = ana.read("/threads")
    older = re.search(r'<a href="([^"]+)">Older threads', page)
    assert older and "The first one" not in page
    assert "The first one" in ana.read(older[1])


def test_later_comments_are_one_link_away(ana: Human, world: World) -> None:
    path = opened(ana)
    for number in range(201):
        world.operator("POST", path + "/comments", {"body": f"Said {number}."})
    page = ana.read(path)
    later = re.search(r'<a href="([^"]+)">Later comments', page)
    assert later and "201 comments" in page and "Said 200." not in page
    assert "Said 200." in ana.read(later[1])


def test_verdicts_stand_by_commit_under_their_repo(ana: Human, world: World, ci: Added) -> None:
    link = "https://ci.example.org/7"
    for name, state in (("lint", "success"), ("tests", "running"), ("tests", "failure")):
        say(world, ci, kind="checks", commit=COMMIT, name=name, state=state, url=link)
    say(world, ci, kind="checks", commit="abcdef0", name="tests", state="success")
    page = ana.read("/threads?repo=acme/rocket")
    words = re.findall(r'class="state (\w+)">(\w+)</span>', page.partition('id="verdicts"')[2])
    assert words == [
        ("good", "success"),
        ("good", "success"),
        ("bad", "failure"),
        ("bad", "failure"),
        ("good", "success"),
    ]
    assert f'<a href="{link}" rel="noreferrer nofollow">tests</a>' in page
    assert "No verdict matches" in ana.read("/verdicts?commit=ffff")
    assert COMMIT[:12] in ana.read(f"/verdicts?commit={COMMIT[:5]}")


def test_a_commit_that_is_none_is_told_as_a_page(ana: Human) -> None:
    answer = ana.get("/verdicts?commit=main")
    assert answer.status_code == 422 and "hexadecimal" in answer.text


def test_a_ticket_nobody_adopts_for_a_day_stands_on_the_home_page(
    ana: Human, world: World, ci: Added
) -> None:
    ticket = say(world, ci, kind="ticket", title="Red again")
    assert "Red again" not in ana.read("/").partition("Last deliveries")[0]
    then = clock.now() - timedelta(hours=25)
    old = ids.first_at("thread", then)
    with world.lib.db.write() as session:
        values = {"id": old, "created_at": then}
        session.execute(update(Thread).where(Thread.id == ticket["id"]).values(values))
    page = ana.read("/")
    assert f'href="/threads/{old}">Red again' in page and "nobody has adopted it" in page


def test_a_todo_shows_its_ticket_and_what_was_said(ana: Human, world: World, ci: Added) -> None:
    ticket = say(world, ci, kind="ticket", title="Red again")
    todo = world.claim()
    world.agent("POST", f"/todos/{todo['id']}/comments", {"body": "I look into it."})
    path = f"/todos/{todo['id']}"
    page = ana.read(path)
    assert f'<a href="/threads/{ticket["id"]}">ticket:acme/rocket#1</a>' in page
    assert "I look into it." in page and "endpoint <b>fixer</b>" in page
    ana.send(f"{path}/comments", seen_at=path, body="Good.")
    assert "Good." in ana.read(f"/threads/{ticket['id']}")


def test_a_todo_without_a_ticket_keeps_its_own_comments(ana: Human, world: World) -> None:
    path = f"/todos/{world.claimed()['id']}"
    assert "Nobody has said anything." in ana.read(path)
    answer = ana.send(f"{path}/comments", seen_at=path, body="Hold on.")
    assert answer.status_code == 302 and "Hold on." in ana.read(path)
    assert ana.send(f"{path}/comments", seen_at=path, body="").status_code == 422


def test_a_delivery_links_the_ticket_it_became(ana: Human, world: World, ci: Added) -> None:
    ticket = say(world, ci, kind="ticket", title="Red again")
    delivery = world.operator("GET", f"/threads/{ticket['id']}").json["delivery"]
    assert f'href="/threads/{ticket["id"]}"' in ana.read(f"/deliveries/{delivery}")


@pytest.mark.parametrize("act", ["comments", "adopt", "close", "reopen"])
def test_an_address_of_a_form_opened_by_hand_leads_to_the_page(ana: Human, act: str) -> None:
    path = opened(ana)
    answer = ana.get(f"{path}/{act}")
    assert (answer.status_code, answer.location) == (302, path)
