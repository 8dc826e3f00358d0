"""A reply that is refused: in the documented order, without a row, without burning a key."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import func, select, update

from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.models import Account, Reply, Source, Todo
from switchboard.vault import connections
from tests.world import World

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def rows(world: World) -> int:
    with world.lib.db.read() as session:
        return session.scalar(select(func.count()).select_from(Reply)) or 0


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["code"]


def change(world: World, id: str, **values: Any) -> None:
    with world.lib.db.write() as session:
        session.execute(update(Todo).where(Todo.id == id).values(**values))


@pytest.mark.setting(REPLY_RATE="0.01:1")
def test_refusals_come_in_the_documented_order(world: World) -> None:
    """Everything is wrong at first; each step mends what the last answer named."""
    assert world.source
    mute = world.vend("mute", verbs=["drain"])
    bad = {"text": TOKEN, "idempotency_key": "one", "attempt": 9}
    world.deliver(world.issue(1))
    [todo] = world.agent("GET", "/todos").json["todos"]
    path = f"/todos/{todo['id']}/replies"
    change(world, todo["id"], reply_to=None)
    assert refused(world.agent("POST", path, bad, by=mute)) == (404, "not_found")
    change(world, todo["id"], endpoint_id=mute.endpoint["id"])
    assert refused(world.agent("POST", path, bad, by=mute)) == (403, "forbidden")
    change(world, todo["id"], endpoint_id=world.endpoint.endpoint["id"])
    assert refused(world.agent("POST", path, bad)) == (409, "no_reply_address")
    change(world, todo["id"], reply_to=world.lib and address())
    assert refused(world.agent("POST", path, bad)) == (409, "not_claimed")
    world.claim()
    change(world, todo["id"], state="done", finished_at=clock.ago(100_000))
    assert refused(world.agent("POST", path, bad)) == (409, "lease_lost")
    bad["attempt"] = 1
    assert refused(world.agent("POST", path, bad)) == (409, "reply_window_closed")
    change(world, todo["id"], finished_at=clock.ago(10))
    assert refused(world.agent("POST", path, bad | {"text": "  "})) == (422, "invalid_argument")
    assert refused(world.agent("POST", path, bad)) == (422, "secret_detected")
    bad["text"] = "hello"
    assert refused(world.agent("POST", path, bad)) == (422, "no_connection")
    world.connect("octo", targets=["other/*"])
    assert refused(world.agent("POST", path, bad)) == (403, "target_not_allowed")
    connections.edit(world.lib, Machine(), "octo", {"targets": [], "endpoints": ["mute"]})
    assert refused(world.agent("POST", path, bad)) == (403, "target_not_allowed")
    assert rows(world) == 0
    connections.edit(world.lib, Machine(), "octo", {"endpoints": ["fixer"]})
    assert world.agent("POST", path, bad).status_code == 202
    assert refused(world.agent("POST", path, bad | {"idempotency_key": "two"})) == (
        429, "rate_limited",
    )  # fmt: skip
    assert world.agent("POST", path, bad).json["duplicate"] is True
    assert rows(world) == 1


def address() -> dict[str, Any]:
    return {
        "kind": "forge_comment",
        "provider": "github",
        "host": "github.com",
        "repo": "acme/rocket",
        "number": 1,
        "display": "github acme/rocket#1",
        "key": "github:github.com/acme/rocket#1",
    }


def test_a_text_that_is_none_is_refused(world: World, subtests: pytest.Subtests) -> None:
    todo = world.claimed()
    for text in ["", "   ", "\n\t ", "\x00", "x" * 16_385, 7, None, ["x"], {}]:
        with subtests.test(text=text):
            answer = world.reply(todo, text)
            assert (refused(answer), answer.json["field"]) == ((422, "invalid_argument"), "text")
            assert rows(world) == 0


@pytest.mark.parametrize("text", ["x" * 16_384, "\U0001f680" * 16_384, " padded "])
def test_a_text_up_to_the_limit_is_taken(world: World, text: str) -> None:
    assert world.reply(world.claimed(), text).status_code == 202


def test_a_key_that_is_none_is_refused(world: World, subtests: pytest.Subtests) -> None:
    todo = world.claimed()
    for key in ["", "x" * 129, "é", "a\nb", "a\x00b", 7, ["a"]]:
        with subtests.test(key=key):
            answer = world.reply(todo, "hello", idempotency_key=key)
            assert refused(answer) == (422, "invalid_argument")
            assert answer.json["field"] == "idempotency_key"


def test_a_bad_key_does_not_hide_that_the_todo_is_unknown(world: World) -> None:
    assert world.endpoint
    todo = {"id": "td_01K00000000000000000000000"}
    assert refused(world.reply(todo, "hello", idempotency_key="")) == (404, "not_found")


def test_a_wait_that_is_none_is_refused(world: World, subtests: pytest.Subtests) -> None:
    todo = world.claimed()
    for wait in [-1, "soon", [], 1e309]:
        with subtests.test(wait=wait):
            assert world.reply(todo, "hello", wait=wait).status_code == 422


def test_a_refusal_burns_no_key(world: World) -> None:
    todo = world.claimed()
    assert world.reply(todo, "", idempotency_key="one").status_code == 422
    answer = world.reply(todo, "hello", idempotency_key="one")
    assert (answer.status_code, answer.json["duplicate"]) == (202, False)


def test_a_repeat_is_answered_even_when_the_window_has_closed(world: World) -> None:
    todo = world.claimed()
    first = world.reply(todo, "hello", idempotency_key="one").json
    world.agent("POST", f"/todos/{todo['id']}/complete")
    change(world, todo["id"], finished_at=clock.ago(100_000))
    assert refused(world.reply(todo, "new")) == (409, "reply_window_closed")
    again = world.reply(todo, "hello", idempotency_key="one").json
    assert (again["reply_id"], again["duplicate"]) == (first["reply_id"], True)


def test_a_repeat_with_another_text_says_so(world: World) -> None:
    todo = world.claimed()
    world.reply(todo, "hello", idempotency_key="one")
    again = world.reply(todo, "other", idempotency_key="one").json
    assert (again["duplicate"], again["text_differs"]) == (True, True)
    same = world.reply(todo, "hello", idempotency_key="one").json
    assert "text_differs" not in same


def test_without_a_key_the_same_text_is_a_repeat_and_another_is_new(world: World) -> None:
    todo = world.claimed()
    first, again, other = (world.reply(todo, text).json for text in ("a", "a", "b"))
    assert (again["reply_id"], again["duplicate"]) == (first["reply_id"], True)
    assert other["duplicate"] is False


def test_a_todo_just_finished_still_takes_a_reply(world: World) -> None:
    todo = world.claimed()
    world.agent("POST", f"/todos/{todo['id']}/complete")
    assert world.reply(todo, "hello").status_code == 202


def test_a_todo_whose_source_an_agent_can_forge_needs_an_allowlist(world: World) -> None:
    todo = world.claimed()
    with world.lib.db.write() as session:
        session.execute(update(Source).values(secret_known_to_agent=True))
    assert refused(world.reply(todo, "hello")) == (403, "target_not_allowed")
    connections.edit(world.lib, Machine(), "octo", {"targets": ["acme/*"]})
    assert world.reply(todo, "hello").status_code == 202


def test_a_targets_glob_stays_inside_its_segment(world: World) -> None:
    todo = world.claimed()
    connections.edit(world.lib, Machine(), "octo", {"targets": ["ac*"]})
    assert refused(world.reply(todo, "hello")) == (403, "target_not_allowed")
    connections.edit(world.lib, Machine(), "octo", {"targets": ["AC*/Rocket"]})
    assert world.reply(todo, "hello").status_code == 202


def test_another_owners_connection_never_serves(world: World) -> None:
    from switchboard.access import accounts

    accounts.create(world.lib, accounts.NewAccount("bob", "bob@example.org"))
    assert world.source
    world.connect("theirs", owner="bob")
    world.deliver(world.issue(1))
    assert refused(world.reply(world.claim(), "hello")) == (422, "no_connection")


def test_who_lost_the_letter_can_no_longer_have_replies_posted(world: World) -> None:
    vended = world.operator("POST", "/endpoints", {"name": "mine", "verbs": ["drain", "reply"]})
    assert vended.status_code == 201, vended.data
    world.add_source("second", to=["mine"])
    with world.lib.db.write() as session:
        session.execute(update(Account).values(letters="ncfla"))
    credential = vended.json["credential"]
    headers = {"Authorization": f"Bearer {credential}"}
    world.deliver(world.issue(1), source=world.add_source("third", to=["mine"]))
    todo = world.client.post("/api/v1/todos/claim-next", headers=headers).json
    answer = world.client.post(
        f"/api/v1/todos/{todo['id']}/replies", json={"text": "hello"}, headers=headers
    )
    assert refused(answer) == (403, "missing_capability") and answer.json["letter"] == "x"
