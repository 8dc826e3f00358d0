"""Connections of every kind over the operator API: kept, tested, listed - and a sink answers nobody."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import pytest

from switchboard.access import accounts
from switchboard.access.principals import Machine
from switchboard.providers import answering_kinds, connection_kinds
from switchboard.vault import connections
from tests.standins import apprise, cairn, gitea, gotify, notify
from tests.standins.github import GitHubStandIn
from tests.standins.slack import TEAM, SlackStandIn
from tests.world import World


class Kept(NamedTuple):
    """A connection that works: its account key and secret, and whom its test names."""

    account_key: str
    secret: str
    identity: str


@pytest.fixture
def slack() -> Iterator[SlackStandIn]:
    with SlackStandIn() as running:
        yield running


@pytest.fixture
def environ(environ: dict[str, str], slack: SlackStandIn) -> dict[str, str]:
    """The box's environment, Slack being the stand-in."""
    return environ | {"SWITCHBOARD_SLACK_API_URL": slack.url}


@pytest.fixture
def good(github: GitHubStandIn, slack: SlackStandIn) -> Iterator[dict[str, Kept]]:
    """A good connection of each kind, its stand-in running."""
    with ExitStack() as stack:
        url = {
            module.__name__.rpartition(".")[2]: stack.enter_context(module.standin()).url
            for module in (gitea, cairn, gotify, apprise)
        }
        service = stack.enter_context(notify.standin())
        service.program("lacking")
        yield {
            "github": Kept("github.com", "a-github-token", "switchboard-bot"),
            "gitea": Kept(f"{url['gitea']}/git", gitea.TOKEN, "fixer"),
            "slack": Kept(TEAM, "xoxb-a-slack-token", "fixer"),
            "cairn": Kept(url["cairn"], "a-cairn-token", "fixer"),
            "gotify": Kept(
                url["gotify"], gotify.APPLICATION, "an application that may send (nothing was sent)"
            ),
            "apprise": Kept(
                url["apprise"], f"{apprise.LOGIN}@{apprise.KEY}", "a configuration with 2 services"
            ),
            "notify": Kept(
                service.url + notify.PATH,
                notify.SECRET,
                "a service that takes our signature (nothing was sent)",
            ),
        }


def add(world: World, kind: str, kept: Kept, **more: Any) -> Any:
    body = {"kind": kind, "name": kind, "account_key": kept.account_key, "secret": kept.secret}
    return world.operator("POST", "/connections", body | more)


def test_there_is_a_good_connection_of_every_kind(world: World, good: dict[str, Kept]) -> None:
    assert set(good) == set(connection_kinds(world.lib.settings))


def test_every_kind_is_kept_tested_and_listed_without_its_secret(
    world: World, good: dict[str, Kept], subtests: pytest.Subtests
) -> None:
    for kind, kept in good.items():
        with subtests.test(kind):
            made = add(world, kind, kept)
            assert made.status_code == 201, made.data
            tested = world.operator("POST", f"/connections/{kind}/test")
            assert (tested.json["ok"], tested.json["identity"]) == (True, kept.identity)
            assert kept.secret not in made.text + tested.text
    listed = world.operator("GET", "/connections")
    assert {each["kind"] for each in listed.json["connections"]} == set(good)
    assert not [kept for kept in good.values() if kept.secret in listed.text]


def test_a_sink_answers_nobody(world: World) -> None:
    settings = world.lib.settings
    sinks = set(connection_kinds(settings)) - set(answering_kinds(settings))
    assert sinks == {"gotify", "apprise", "notify"}


@pytest.mark.parametrize("kind", ["gitea", "cairn", "gotify", "apprise"])
@pytest.mark.parametrize(
    "key", ["", "https://a:b@example.org", "ftp://example.org", "https://x/ y"]
)
def test_a_base_url_that_is_none_is_refused_beside_its_field(
    world: World, kind: str, key: str
) -> None:
    answer = add(world, kind, Kept(key, "a-token", ""))
    assert (answer.status_code, answer.json["field"]) == (422, "account_key")


@pytest.mark.setting(ALLOW_HTTP="0")
@pytest.mark.parametrize("kind", ["gitea", "cairn", "gotify", "apprise"])
def test_plain_http_needs_the_setting(world: World, kind: str) -> None:
    answer = add(world, kind, Kept("http://example.org", "a-token", ""))
    assert (answer.status_code, answer.json["field"]) == (422, "account_key")
    assert add(world, kind, Kept("https://example.org", "a-token", "")).status_code == 201


@pytest.mark.parametrize("kind", ["gitea", "cairn", "gotify", "apprise"])
def test_one_account_is_one_connection_however_it_is_written(world: World, kind: str) -> None:
    assert add(world, kind, Kept("https://example.org", "a-token", "")).status_code == 201
    again = add(world, kind, Kept("https://EXAMPLE.org:443/", "a-token", ""), name="again")
    assert (again.status_code, again.json["code"]) == (409, "conflict")


def test_ids_of_others_look_like_unknown_ones_for_two_accounts_and_a_team(
    world: World, good: dict[str, Kept], subtests: pytest.Subtests
) -> None:
    accounts.create(world.lib, accounts.NewAccount("ben", "ben@example.org"))
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", "ben", "owner")
    assert world.account
    foreign = []
    for owner in ("ben", "core"):
        for kind, kept in good.items():
            new = connections.NewConnection(
                kind, f"{owner}-{kind}", kept.account_key, kept.secret, owner
            )
            foreign.append(connections.add(world.lib, Machine(), new))
    routes = [("PATCH", "", {}), ("PUT", "/secret", {"secret": "x"}), ("DELETE", "", None),
              ("POST", "/test", None)]  # fmt: skip
    for each in foreign:
        for method, tail, body in routes:
            for ref in (each["id"], each["name"]):
                with subtests.test(f"{method}{tail} {each['name']} {ref[:3]}"):
                    theirs = world.operator(method, f"/connections/{ref}{tail}", body)
                    unknown = world.operator(method, f"/connections/cn_unknown{tail}", body)
                    assert (theirs.status_code, theirs.data) == (404, unknown.data)
    assert world.operator("GET", "/connections").json["connections"] == []


def test_a_member_sees_a_teams_fingerprints_and_an_admin_manages(
    world: World, good: dict[str, Kept]
) -> None:
    accounts.create_team(world.lib, "core")
    accounts.add_member(world.lib, "core", world.account["name"], "member")
    new = connections.NewConnection("gitea", "shared", good["gitea"][0], good["gitea"][1], "core")
    made = connections.add(world.lib, Machine(), new)
    [seen] = world.operator("GET", "/connections").json["connections"]
    assert (seen["fingerprint"], seen["owner"]) == (made["fingerprint"], {"team": "core"})
    body = {"name": "mine"}
    refused = world.operator("PATCH", "/connections/shared", body)
    assert (refused.status_code, refused.json["code"]) == (403, "forbidden")
    accounts.add_member(world.lib, "core", world.account["name"], "admin")
    assert world.operator("PATCH", "/connections/shared", body).status_code == 200
