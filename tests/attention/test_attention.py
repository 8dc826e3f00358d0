"""What needs a human: the page, the API and the command line show one list, each its own reader's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from switchboard.access import accounts, owners
from switchboard.attention.need import KINDS
from switchboard.replies import dial, posting
from switchboard.replies.posting import Post
from switchboard.sessions import refs
from switchboard.web import needs
from tests.cli.conftest import CommandLine
from tests.standins.github import GitHubStandIn
from tests.web.conftest import Human
from tests.world import World

API_DOCUMENT = (Path(__file__).parents[2] / "docs" / "api.md").read_text()


def listed(world: World, token: str | None = None) -> list[dict[str, Any]]:
    """The list as the API gives it."""
    answer = world._call("GET", "/attention", None, token or world.operator_token)
    assert answer.status_code == 200 and answer.json["next"] is None
    return answer.json["attention"]


def in_trouble(world: World, github: GitHubStandIn) -> None:
    """A dead letter, two replies in trouble, a connection whose test failed, a source without a target."""
    for number, answer in ((1, "locked_422"), (2, "server_error")):
        todo = world.claimed(number)
        github.program([answer])
        dial.dial(world.lib, world.reply(todo).json["reply_id"])
        world.agent("POST", f"/todos/{todo['id']}/fail")
    github.program(["bad_credentials"], route="user")
    world.operator("POST", f"/connections/{world.connection['id']}/test")
    idle = world.add_source("idle")
    world.operator("PATCH", f"/sources/{idle.source['id']}", {"state": "paused"})


@pytest.mark.setting(MAX_ATTEMPTS="1")
def test_page_api_and_command_line_show_the_same_in_the_same_order(
    world: World, github: GitHubStandIn, environ: dict[str, str]
) -> None:
    in_trouble(world, github)
    found = listed(world)
    assert [each["kind"] for each in found] == [
        "dead-letter", "dead-letter", "reply-failed", "connection-fails", "reply-unknown",
        "source-paused",
    ]  # fmt: skip
    assert set(found[0]) == {"kind", "ref", "title", "detail", "since", "link"}
    assert found[0]["ref"].startswith("todo:td_") and found[-1]["since"] is None

    human = Human(world.app.test_client(), "ana")
    human.sign_in()
    page = human.read("/")
    shown = re.findall(r'<a href="([^"]+)">([^<]+)</a>\s*<p class="note">([^<]+)</p>', page)
    base = world.lib.settings.base_url
    assert [(base + link, title, why) for link, title, why in shown] == [
        (each["link"], each["title"], each["detail"]) for each in found
    ]
    assert CommandLine(environ).json("attention") == found


@pytest.mark.setting(MAX_ATTEMPTS="1")
def test_every_link_leads_to_a_page(world: World, github: GitHubStandIn) -> None:
    in_trouble(world, github)
    human = Human(world.app.test_client(), "ana")
    human.sign_in()
    base = world.lib.settings.base_url
    for each in listed(world):
        assert human.read(each["link"].removeprefix(base).partition("#")[0])


def test_a_mail_that_could_not_be_relayed_is_listed_like_a_reply(
    world: World, github: GitHubStandIn
) -> None:
    todo = world.claimed(1)
    item = refs.parse(world.lib, "github:acme/rocket#1")
    address = refs.address_of(world.lib, item) or {}
    github.program("forbidden")
    with world.lib.db.read() as session:
        owner = owners.by_id(session, world.account["id"])
    relayed = posting.keep(world.lib, Post("relay", owner, address, "From a mail.", "key"))
    dial.dial(world.lib, relayed)
    [need] = listed(world)
    assert need["kind"] == "reply-failed"
    assert need["title"] == "Answer by mail, relayed to github acme/rocket#1"
    assert need["link"].endswith(f"/todos/{todo['id']}")


def test_nobody_sees_what_needs_another(world: World, github: GitHubStandIn) -> None:
    assert world.account
    accounts.create(world.lib, accounts.NewAccount("bob", "bob@example.org"))
    world.operator("PATCH", f"/sources/{world.source.source['id']}", {"state": "paused"})
    assert [each["kind"] for each in listed(world)] == ["source-paused"]
    assert listed(world, accounts.mint_token(world.lib, "bob")) == []


def test_an_agent_is_not_asked_in(world: World) -> None:
    assert world.agent("GET", "/attention").status_code == 401


def test_the_kinds_have_a_word_on_the_page_and_a_row_in_the_document() -> None:
    rows = re.findall(
        r"^\| ([a-z-]+) \| (.+?) \|$",
        API_DOCUMENT.partition("## What needs")[2].partition("\n## ")[0],
        re.M,
    )
    assert dict(rows[1:]) == KINDS
    assert list(needs.WORDS) == list(KINDS)
