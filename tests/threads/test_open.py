"""Accounts open threads and comment, where they see them and as far as their letters go."""

from __future__ import annotations

from typing import Any

import pytest
from werkzeug.test import TestResponse

from switchboard.access import accounts
from tests.threads.conftest import Filing
from tests.world import World

UNKNOWN = "th_01K00000000000000000000000"


def test_a_thread_says_who_opened_it_and_how(world: World, add: Any) -> None:
    thread = add(kind="forum", body="Which fuel?", labels=["fuel"])
    assert thread["ref"] == "forum:acme/rocket#1"
    assert (thread["author"], thread["via"]) == ({"account": "ana"}, "api")
    assert (thread["owner"], thread["state"], thread["labels"]) == (
        {"account": "ana"},
        "open",
        ["fuel"],
    )
    assert world.operator("GET", f"/threads/{thread['id']}").json == thread


def test_a_comment_stands_under_the_thread_in_the_order_it_came(world: World, add: Any) -> None:
    thread = add()
    for body in ("first", "second"):
        answer = world.operator("POST", f"/threads/{thread['id']}/comments", {"body": body})
        assert (answer.status_code, answer.json["author"]) == (201, {"account": "ana"})
    found = world.operator("GET", f"/threads/{thread['id']}").json
    assert [each["body"] for each in found["comments"]] == ["first", "second"]
    assert found["comment_count"] == 2 and found["commented_at"] > found["created_at"]


def test_comments_come_in_pages(world: World, add: Any) -> None:
    path = f"/threads/{add()['id']}"
    for number in range(5):
        world.operator("POST", f"{path}/comments", {"body": f"n{number}"})
    said, after = [], ""
    while after is not None:
        page = world.operator("GET", f"{path}?limit=2{after and '&after=' + after}").json
        said += [each["body"] for each in page["comments"]]
        after = page["next"]
    assert said == [f"n{number}" for number in range(5)]


@pytest.mark.parametrize(
    ("field", "changed"),
    [
        ("title", {"title": ""}),
        ("title", {"title": " \n\t"}),
        ("title", {"title": "x" * 301}),
        ("body", {"body": "é" * 16_385}),
        ("labels", {"labels": ["x" * 51]}),
        ("labels", {"labels": [str(number) for number in range(21)]}),
        ("kind", {"kind": "chat"}),
        ("repo", {"repo": "../etc"}),
        ("repo", {"repo": "a/b/c"}),
        ("repo", {"repo": ""}),
        ("repo", {"repo": "x" * 101}),
        ("repo", {"repo": "rocket\n"}),
        ("mirror_of", {"mirror_of": "x" * 401}),
        ("owner", {"repo": "new", "owner": {"team": "nobody"}}),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(
    world: World, field: str, changed: dict[str, Any]
) -> None:
    body = {"repo": "acme/rocket", "kind": "ticket", "title": "It smokes", **changed}
    answer = world.operator("POST", "/threads", body)
    assert answer.status_code in (404, 422) and answer.json["field"] == field
    assert world.operator("GET", "/threads").json["threads"] == []


def test_texts_are_stored_as_they_are_but_for_what_no_database_takes(
    world: World, add: Any
) -> None:
    thread = add(title="two\nlines", body="a\x00b\ud800\r\nc <b>&amp;")
    assert thread["title"] == "two lines"
    assert thread["body"] == "ab?\nc <b>&amp;"


@pytest.mark.parametrize(
    ("kind", "opens", "comments"),
    [("ticket", "n", "c"), ("forum", "f", "f"), ("landing", "l", "l")],
)
def test_letters_say_who_opens_and_who_comments(
    world: World, add: Any, kind: str, opens: str, comments: str
) -> None:
    thread = add(kind=kind)
    every = "ncflkax"
    accounts.set_letters(world.lib, "ana", every.replace(opens, ""))
    new = {"repo": "acme/rocket", "kind": kind, "title": "Another"}
    refused = world.operator("POST", "/threads", new)
    assert (refused.status_code, refused.json["letter"]) == (403, opens)
    accounts.set_letters(world.lib, "ana", every.replace(comments, ""))
    for path, body in (("comments", {"body": "x"}), ("close", None)):
        refused = world.operator("POST", f"/threads/{thread['id']}/{path}", body)
        assert (refused.status_code, refused.json["letter"]) == (403, comments)


def test_a_mirror_takes_no_writes(world: World, add: Any) -> None:
    mirror = add(mirror_of="https://github.com/acme/rocket/issues/9")
    for path, body in (("comments", {"body": "x"}), ("adopt", None), ("close", None)):
        answer = world.operator("POST", f"/threads/{mirror['id']}/{path}", body)
        assert (answer.status_code, answer.json["code"]) == (422, "mirror_read_only")


# whose they are


def test_another_accounts_thread_is_not_there(world: World, add: Any, ben: Any) -> None:
    thread = add()
    ben("POST", "/threads", {"repo": "bens", "kind": "forum", "title": "Mine"})
    calls = [
        ("GET", ""),
        ("POST", "/comments"),
        ("POST", "/adopt"),
        ("POST", "/close"),
        ("POST", "/reopen"),
    ]
    for method, path in calls:
        body = {"body": "x"} if method == "POST" else None
        found = ben(method, f"/threads/{thread['id']}{path}", body)
        assert found.status_code == 404
        assert found.data == ben(method, f"/threads/{UNKNOWN}{path}", body).data
    assert [each["title"] for each in ben("GET", "/threads").json["threads"]] == ["Mine"]
    assert ben("GET", "/threads?repo=acme/rocket").status_code == 404


def test_members_of_a_team_open_and_comment_where_the_team_has_a_repo(
    world: World, add: Any, ben: Any
) -> None:
    shared = add(repo="core/app", owner={"team": "core"})
    said = ben("POST", f"/threads/{shared['id']}/comments", {"body": "Seen."})
    assert (said.status_code, said.json["author"]) == (201, {"account": "ben"})
    for owner in (None, {"team": "core"}):
        new = {"repo": "CORE/app", "kind": "ticket", "title": "Mine", "owner": owner}
        made = ben("POST", "/threads", new).json
        assert (made["owner"], made["repo"]) == ({"team": "core"}, "core/app")


def test_a_new_repo_of_a_team_is_for_those_who_configure_it(world: World, ben: Any) -> None:
    new = {"repo": "core/new", "kind": "ticket", "title": "x", "owner": {"team": "core"}}
    assert ben("POST", "/threads", new).json["code"] == "forbidden"
    assert world.operator("POST", "/threads", new).status_code == 201


def test_a_repo_belongs_to_whoever_used_it_first(world: World, add: Any, ben: Any) -> None:
    add(repo="Rocket")
    taken: TestResponse = ben("POST", "/threads", {"repo": "rocket", "kind": "forum", "title": "x"})
    assert (taken.status_code, taken.json["code"], taken.json["field"]) == (
        409,
        "conflict",
        "repo",
    )
    with_owner = {"repo": "rocket", "kind": "forum", "title": "x", "owner": {"team": "core"}}
    assert world.operator("POST", "/threads", with_owner).status_code == 409


def test_what_is_no_id_is_a_thread_not_found(world: World, subtests: pytest.Subtests) -> None:
    for given in ("x", "th_", "%00", "th_" + "a" * 26, "rocket%231", "é", UNKNOWN + "%0a"):
        with subtests.test(given):
            assert world.operator("GET", f"/threads/{given}").status_code == 404


# finding them


def test_the_list_is_newest_first_and_paged_to_its_end(world: World, add: Any) -> None:
    for number in range(5):
        add(title=f"n{number}")
    titles, after = [], ""
    while after is not None:
        page = world.operator("GET", f"/threads?limit=2{after and '&after=' + after}").json
        titles += [each["title"] for each in page["threads"]]
        after = page["next"]
    assert titles == ["n4", "n3", "n2", "n1", "n0"]


def test_the_list_is_narrowed_by_what_is_asked_for(
    world: World, add: Any, ci: Filing, subtests: pytest.Subtests
) -> None:
    add(title="talk", kind="forum")
    closed = add(title="done")
    world.operator("POST", f"/threads/{closed['id']}/close")
    add(title="elsewhere", repo="moon")
    filed = ci.ticket(title="filed")
    for query, titles in (
        ("kind=forum", ["talk"]),
        ("repo=Acme/Rocket", ["filed", "done", "talk"]),
        ("state=closed", ["done"]),
        ("state=open&repo=acme/rocket", ["filed", "talk"]),
        ("state=unadopted", ["filed"]),
        (f"ref=ticket:acme/rocket%23{filed['number']}", ["filed"]),
        ("ref=moon%231", ["elsewhere"]),
        ("ref=forum:moon%231", []),
    ):
        with subtests.test(query):
            found = world.operator("GET", f"/threads?{query}").json["threads"]
            assert [each["title"] for each in found] == titles


@pytest.mark.parametrize(
    ("query", "field"),
    [("kind=chat", "kind"), ("state=new", "state"), ("ref=7", "ref"), ("ref=a%230", "ref")],
)
def test_an_unknown_filter_value_is_refused(world: World, query: str, field: str) -> None:
    answer = world.operator("GET", f"/threads?{query}")
    assert (answer.status_code, answer.json["field"]) == (422, field)
