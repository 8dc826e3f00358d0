"""Every answer GitHub is known to give, and every way a connection can fail, as docs/replies.md has it."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import pytest
from sqlalchemy import update

from switchboard.lib import clock
from switchboard.models import Connection, Reply
from switchboard.replies import dial, sweep
from tests.standins.github import FAULTS, GitHubStandIn, recorded
from tests.world import World, payload


class Outcome(NamedTuple):
    state: str
    error_class: str | None = None
    code: str | None = None
    link: bool = False
    posts: int = 1


EXPECTED = {
    "created": Outcome("sent", link=True),
    "created_empty": Outcome("sent"),
    "created_foreign_permalink": Outcome("sent"),
    "created_garbage": Outcome("sent"),
    "created_huge": Outcome("sent"),
    "created_id_long": Outcome("sent", link=True),
    "created_id_text": Outcome("sent", link=True),
    "created_list": Outcome("sent"),
    "created_mirrored": Outcome("sent"),
    "created_script_permalink": Outcome("sent"),
    "bad_credentials": Outcome("failed", "auth", "401"),
    "requires_authentication": Outcome("failed", "auth", "401"),
    "forbidden": Outcome("failed", "forbidden", "403"),
    "locked_403": Outcome("failed", "forbidden", "locked"),
    "primary_rate_limit": Outcome("failed", "rate_limited", "403"),
    "secondary_rate_limit": Outcome("failed", "rate_limited", "403"),
    "secondary_rate_limit_1s": Outcome("failed", "rate_limited", "403", posts=3),
    "not_found": Outcome("failed", "not_found", "404"),
    "issues_disabled": Outcome("failed", "not_found", "410"),
    "locked_422": Outcome("failed", "invalid", "locked"),
    "too_long": Outcome("failed", "invalid", "unprocessable"),
    "validation_failed": Outcome("failed", "invalid", "missing_field"),
    "rate_limited_1s": Outcome("failed", "rate_limited", "429", posts=3),
    "rate_limited_60s": Outcome("failed", "rate_limited", "429"),
    "rate_limited_absurd": Outcome("failed", "rate_limited", "429"),
    "rate_limited_date": Outcome("failed", "rate_limited", "429"),
    "rate_limited_garbage": Outcome("failed", "rate_limited", "429"),
    "server_error": Outcome("unknown", "server", "500"),
    "bad_gateway": Outcome("unknown", "server", "502"),
    "unavailable": Outcome("unknown", "server", "503"),
    "hang_after_write": Outcome("unknown", "network", "timeout"),
    "drip_head": Outcome("unknown", "network", "timeout"),
    "reset_after_write": Outcome("unknown", "network", "reset"),
    "close_after_write": Outcome("unknown", "network", "reset"),
    "close_mid_answer": Outcome("sent"),
    "drip_body": Outcome("sent"),
    "redirect_301": Outcome("failed", "invalid", "redirect"),
    "redirect_302": Outcome("failed", "invalid", "redirect"),
    "redirect_307": Outcome("failed", "invalid", "redirect"),
}


def answered(world: World, todo: dict[str, Any], text: str) -> dict[str, Any]:
    """A reply accepted, dialled here and now, again as often as it is put off for a moment; read back."""
    accepted = world.reply(todo, text)
    assert accepted.status_code == 202, accepted.data
    path = f"/replies/{accepted.json['reply_id']}"
    for _ in range(5):
        dial.dial(world.lib, accepted.json["reply_id"])
        if (found := world.agent("GET", path).json)["state"] != "pending":
            return found
        the_pause_is_over(world)
    raise AssertionError("it is put off for ever")


def the_pause_is_over(world: World) -> None:
    with world.lib.db.write() as session:
        session.execute(update(Reply).values(not_before=clock.ago(1)))
        session.execute(update(Connection).values(closed_until=None))


def reopen(world: World) -> None:
    from switchboard.access.principals import Machine
    from switchboard.vault import connections

    connections.rotate(world.lib, Machine(), "octo", "a-fresh-secret")


def test_every_recorded_answer_and_fault_is_expected() -> None:
    assert set(EXPECTED) == (set(recorded()) | set(FAULTS)) - {"user", "user_mirrored"}


@pytest.mark.timeout(180)
@pytest.mark.setting(DIAL_SECONDS="1", REPLY_RATE="0:1", REPLIES_PER_TODO="100")
def test_each_answer_has_its_outcome_and_is_posted_once(
    world: World, github: GitHubStandIn, subtests: pytest.Subtests
) -> None:
    todo = world.claimed(7)
    for name, expected in EXPECTED.items():
        github.program(name)
        github.forget()
        with subtests.test(name):
            found = answered(world, todo, f"answer to {name}")
            assert (
                Outcome(
                    found["state"],
                    found["error_class"],
                    found["error_code"],
                    found["permalink"] is not None,
                    len(github.posts),
                )
                == expected
            )
            assert github.followed == []
        reopen(world)
    assert world.agent("GET", f"/todos/{todo['id']}").json["replies"]["count"] == len(EXPECTED)


def test_what_is_posted_is_the_text_to_the_address_with_the_credential(
    world: World, github: GitHubStandIn
) -> None:
    answered(world, world.claimed(7), "Fixed in abc123.")
    [post] = github.posts
    assert (post.method, post.path) == ("POST", "/repos/acme/rocket/issues/7/comments")
    assert post.json == {"body": "Fixed in abc123."}
    assert post.headers["authorization"] == "Bearer canary-connection-secret-0123456789"


def test_a_connections_signature_line_is_added(world: World, github: GitHubStandIn) -> None:
    world.connect("signed", account_key="github.com", signature="-- the fixer")
    assert world.source
    world.deliver(world.issue(7))
    answered(world, world.claim(), "Done.")
    assert github.posts[0].json == {"body": "Done.\n\n-- the fixer"}


def test_hostile_text_is_posted_cleaned(world: World, github: GitHubStandIn) -> None:
    answered(world, world.claimed(7), "a\x00b\ud800c \U0001f680\r\n@all")
    assert github.posts[0].json == {"body": "ab?c \U0001f680\r\n@all"}


def test_a_permalink_leads_to_the_connections_own_host(world: World) -> None:
    found = answered(world, world.claimed(7), "Done.")
    assert found["permalink"].startswith("https://github.com/acme/rocket/issues/7#issuecomment-")


def test_after_a_short_pause_it_is_sent_once(world: World, github: GitHubStandIn) -> None:
    github.program(["rate_limited_1s"])
    assert answered(world, world.claimed(7), "Done.")["state"] == "sent"
    assert [post.answer for post in github.posts] == ["rate_limited_1s", "created"]


def test_a_short_pause_holds_no_worker_and_lets_nothing_else_through(
    world: World, github: GitHubStandIn
) -> None:
    todo = world.claimed(7)
    other = world.reply(todo, "accepted before").json["reply_id"]
    github.program(["rate_limited_1s"])
    reply_id = world.reply(todo, "Done.").json["reply_id"]
    started = time.monotonic()
    dial.dial(world.lib, reply_id)
    assert time.monotonic() - started < 0.9
    assert world.agent("GET", f"/replies/{reply_id}").json["state"] == "pending"
    dial.dial(world.lib, reply_id)
    dial.dial(world.lib, other)
    refused = world.reply(todo, "accepted after")
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert len(github.posts) == 1
    time.sleep(1.1)
    assert sweep.sweep(world.lib).rung == 2
    for each in (reply_id, other):
        dial.dial(world.lib, each)
        assert world.agent("GET", f"/replies/{each}").json["state"] == "sent"


def test_words_of_a_human_that_were_refused_us_are_no_echo(
    world: World, github: GitHubStandIn
) -> None:
    """Ours waits for the provider's pause to end, so what stands there now is not ours."""
    github.program(["rate_limited_1s"])
    dial.dial(world.lib, world.reply(world.claimed(7), "Done.").json["reply_id"])
    comment = payload("github/issue_comment.created")
    comment["issue"]["number"], comment["comment"]["body"] = 7, "Done."
    heard = world.deliver(comment, "issue_comment").json
    assert (heard["cause"], heard["created"]) == (None, 1)


def test_a_pause_in_whatever_form_closes_the_connection(
    world: World, github: GitHubStandIn, subtests: pytest.Subtests
) -> None:
    todo = world.claimed(7)
    for name, least, most in (
        ("rate_limited_garbage", 50, 60),
        ("rate_limited_date", 100, 120),
        ("primary_rate_limit", 1700, 1800),
    ):
        with subtests.test(name):
            github.program([name])
            answered(world, todo, f"answer to {name}")
            refused = world.reply(todo, "two")
            assert least <= refused.json["retry_after"] <= most
        reopen(world)


def test_what_changed_before_the_dial_counts(
    world: World, github: GitHubStandIn, subtests: pytest.Subtests
) -> None:
    """The signature of now is posted, and its echo known; an allowlist of now is kept to."""
    todo = world.claimed(7)
    world.vend("another")
    with subtests.test("signature"):
        reply_id = world.reply(todo, "Done.").json["reply_id"]
        world.operator("PATCH", "/connections/octo", {"config": {"signature": "-- new"}})
        github.program(["reset_after_write"])
        dial.dial(world.lib, reply_id)
        assert github.posts[0].json["body"] == "Done.\n\n-- new"
        comment = payload("github/issue_comment.created")
        comment["issue"]["number"], comment["comment"]["body"] = 7, "Done.\n\n-- new"
        assert world.deliver(comment, "issue_comment").json["cause"] == "self_reply"
        assert world.agent("GET", f"/replies/{reply_id}").json["state"] == "sent"
    for what, config in (
        ("targets", {"targets": ["other/*"]}),
        ("endpoints", {"targets": [], "endpoints": ["another"]}),
    ):
        with subtests.test(what):
            world.operator(
                "PATCH", "/connections/octo", {"config": {"targets": [], "endpoints": []}}
            )
            reply_id = world.reply(todo, f"before the {what}").json["reply_id"]
            world.operator("PATCH", "/connections/octo", {"config": config})
            github.forget()
            dial.dial(world.lib, reply_id)
            found = world.agent("GET", f"/replies/{reply_id}").json
            assert (found["state"], found["error_class"], found["error_code"]) == (
                "failed", "forbidden", "target_not_allowed",
            )  # fmt: skip
            assert github.posts == []


@pytest.mark.parametrize(
    ("name", "seconds"), [("rate_limited_60s", 60), ("rate_limited_absurd", 3600)]
)
def test_a_long_pause_closes_the_connection_for_new_replies(
    world: World, github: GitHubStandIn, name: str, seconds: int
) -> None:
    todo = world.claimed(7)
    github.program(name)
    answered(world, todo, "one")
    refused = world.reply(todo, "two")
    assert (refused.status_code, refused.json["code"]) == (429, "rate_limited")
    assert seconds - 5 <= refused.json["retry_after"] <= seconds
    assert int(refused.headers["Retry-After"]) == refused.json["retry_after"]
    assert len(github.posts) == 1


def test_a_reply_already_accepted_waits_for_a_closed_connection(
    world: World, github: GitHubStandIn
) -> None:
    todo = world.claimed(7)
    waiting = world.reply(todo, "waiting").json["reply_id"]
    github.program(["rate_limited_60s"])
    answered(world, todo, "first")
    dial.dial(world.lib, waiting)
    assert world.agent("GET", f"/replies/{waiting}").json["state"] == "pending"
    assert len(github.posts) == 1
    reopen(world)


def test_one_closed_connection_does_not_close_another(world: World, github: GitHubStandIn) -> None:
    todo = world.claimed(7)
    github.program(["rate_limited_60s"])
    answered(world, todo, "one")
    world.connect("other", account_key=github.url)
    source = world.add_source("enterprise", host=github.url)
    body = world.issue(8)
    body["repository"]["html_url"] = f"{github.url}/acme/rocket"
    world.deliver(body, source=source)
    assert answered(world, world.claim(), "two")["state"] == "sent"


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("http://127.0.0.1:1", "connect"),
        ("http://10.0.0.1", "blocked_address"),
        ("http://169.254.169.254", "blocked_address"),
        ("http://[::1]", None),
        ("https://no-such-host.invalid", "dns"),
    ],
)
def test_a_call_that_never_left_is_failed_not_unknown(
    world: World, github: GitHubStandIn, key: str, code: str | None, monkeypatch: Any
) -> None:
    monkeypatch.setattr(dial, "PAUSE_SECONDS", 0.01)
    assert world.endpoint
    if code is None:
        assert_refused(world, key)
        return
    world.connect("there", account_key=key)
    source = world.add_source("there", host=key)
    body = world.issue(8)
    body["repository"]["html_url"] = f"{key}/acme/rocket"
    world.deliver(body, source=source)
    found = answered(world, world.claim(), "hello")
    assert (found["state"], found["error_class"], found["error_code"]) == (
        "failed",
        "network",
        code,
    )
    assert github.posts == []


def assert_refused(world: World, key: str) -> None:
    from switchboard.errors import Invalid

    with pytest.raises(Invalid):
        world.connect("there", account_key=key)


def test_a_connection_deleted_meanwhile_is_told(world: World, github: GitHubStandIn) -> None:
    todo = world.claimed(7)
    id = world.reply(todo, "hello").json["reply_id"]
    assert world.operator("DELETE", "/connections/octo").status_code == 204
    dial.dial(world.lib, id)
    found = world.agent("GET", f"/replies/{id}").json
    assert (found["state"], found["error_class"], found["error_code"]) == (
        "failed", "auth", "connection_gone",
    )  # fmt: skip
    assert github.posts == []


def test_dialling_a_settled_reply_again_posts_nothing(world: World, github: GitHubStandIn) -> None:
    found = answered(world, world.claimed(7), "Done.")
    for _ in range(3):
        dial.dial(world.lib, found["reply_id"])
    assert len(github.posts) == 1


def test_dialling_what_is_not_there_does_nothing(world: World, github: GitHubStandIn) -> None:
    dial.dial(world.lib, "rp_01K00000000000000000000000")
    assert github.posts == []
