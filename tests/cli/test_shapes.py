"""What commands print with --json, which scripts rely on."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from switchboard.lib import clock
from tests.cli.conftest import CommandLine
from tests.standins.github import GitHubStandIn

ADD_SOURCE = ("source", "add", "github", "--owner", "ana", "--name", "octo")
ADD_SIGNED = (
    *("source", "add", "signed", "--owner", "ana", "--name", "ci"),
    *("--repo", "acme/rocket"),
)
ADD_CONNECTION = (
    *("connection", "add", "github", "--owner", "ana", "--name", "octo"),
    *("--account-key", "github.com", "--secret-stdin"),
)


def pick(found: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: found[name] for name in names}


def test_the_first_account_is_an_admin(cli: CommandLine) -> None:
    made = cli.json("account", "create", "ana", "--email", "ana@example.org")
    assert made["id"].startswith("ac_")
    assert pick(made, "name", "email", "letters", "admin") == {
        "name": "ana",
        "email": "ana@example.org",
        "letters": "ncflkax",
        "admin": True,
    }


def test_later_accounts_are_admins_only_when_asked_for(ana: CommandLine) -> None:
    bob = ana.json("account", "create", "bob", "--email", "b@e.org", "--letters", "cn")
    eve = ana.json("account", "create", "eve", "--email", "e@e.org", "--admin")
    assert (bob["admin"], bob["letters"], eve["admin"]) == (False, "nc", True)


def test_json_may_stand_anywhere_after_the_verb(cli: CommandLine) -> None:
    made = cli.run("account", "create", "--json", "ana", "--email", "ana@example.org")
    assert made.stdout.startswith("{")


def test_a_token_works_for_the_account(ana: CommandLine, world: Any) -> None:
    token = ana.json("account", "token", "ana")
    assert list(token) == ["token"] and token["token"].startswith("sbp_")
    headers = {"Authorization": f"Bearer {token['token']}"}
    assert world.client.get("/api/v1/endpoints", headers=headers).status_code == 200


def test_a_password_from_stdin_signs_in(ana: CommandLine, lib: Any) -> None:
    from switchboard.access import login

    create = ("account", "create", "bob", "--email", "b@e.org", "--password-stdin")
    ana.json(*create, stdin="ten characters \n")
    assert login.with_password(lib, "bob", "ten characters ", "127.0.0.1")


def test_account_letters_disable_and_list(ana: CommandLine) -> None:
    assert ana.json("account", "letters", "ana", "xn")["letters"] == "nx"
    assert ana.json("account", "letters", "ana", "")["letters"] == ""
    ana.json("account", "disable", "ana")
    assert [(a["name"], a["disabled"]) for a in ana.json("account", "list")] == [("ana", True)]


def test_teams_own_things(ana: CommandLine) -> None:
    assert ana.json("team", "create", "core")["name"] == "core"
    member = ana.json("team", "add", "core", "ana", "--role", "owner")
    assert member == {"team": "core", "account": "ana", "role": "owner"}
    assert ana.json("team", "list")[0]["members"] == [{"account": "ana", "role": "owner"}]
    vended = ana.json("endpoint", "vend", "shared", "--owner", "core")
    assert vended["owner"] == {"team": "core"}


def test_a_source_comes_with_its_url_its_secret_and_the_steps(ana: CommandLine) -> None:
    added = ana.json(*ADD_SOURCE)
    assert added["ingest_url"].startswith("http://127.0.0.1:8080/hooks/")
    assert added["secret"].startswith("whsec_")
    assert pick(added, "name", "kind", "letters", "to") == {
        "name": "octo",
        "kind": "github",
        "letters": "n",
        "to": ["fixer:default"],
    }
    assert any(added["ingest_url"] in step for step in added["steps"])


def test_a_source_takes_a_secret_pins_and_targets(ana: CommandLine) -> None:
    ana.json("endpoint", "vend", "other", "--owner", "ana", "--queue", "red", "--queue", "blue")
    more = ("--repos", "acme/*", "--repos", "me/one", "--to", "fixer", "--to", "other:blue")
    added = ana.json(*ADD_SOURCE, "--secret-stdin", *more, stdin="my own secret\n")
    assert pick(added, "secret", "repos", "to") == {
        "secret": "my own secret",
        "repos": ["acme/*", "me/one"],
        "to": ["fixer:default", "other:blue"],
    }


def test_a_source_is_paused_resumed_rotated_and_revoked(ana: CommandLine) -> None:
    added = ana.json(*ADD_SOURCE)
    assert ana.json("source", "pause", "octo")["state"] == "paused"
    assert ana.json("source", "resume", "octo")["state"] == "active"
    assert ana.json("source", "letters", "octo", "kn")["letters"] == "nk"
    rotated = ana.json("source", "rotate", added["id"])
    assert rotated["secret"] not in (added["secret"], None)
    assert rotated["owner"] == {"account": "ana"}
    assert ana.json("source", "revoke", "octo")["state"] == "revoked"
    assert ana.json("source", "list") == []


def test_a_signed_source_files_under_its_repo_and_turns_red_into_a_todo(ana: CommandLine) -> None:
    added = ana.json(*ADD_SIGNED, "--todo-on-red", "--letters", "nk")
    assert added["ingest_url"].endswith("/api/v1/r/acme/rocket/inbound/ci")
    assert pick(added, "repo", "red_opens_todo", "letters") == {
        "repo": "acme/rocket",
        "red_opens_todo": True,
        "letters": "nk",
    }


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        ("3600", "is good for 1 hour more."),
        ("5400", "is good for 90 minutes more."),
        ("0.5", "is good for 0.5 seconds more."),
        ("0", "is no longer good."),
    ],
)
def test_rotating_says_how_long_the_old_secret_is_good(
    ana: CommandLine, seconds: str, said: str
) -> None:
    ana.json(*ADD_SOURCE)
    ana.environ = {**ana.environ, "SWITCHBOARD_ROTATION_OVERLAP_SECONDS": seconds}
    assert f"has a new secret; the old one {said}\n" in ana.text("source", "rotate", "octo")


def test_an_endpoint_comes_with_its_credential(ana: CommandLine, world: Any) -> None:
    vend = ("endpoint", "vend", "bee", "--owner", "ana", "--queue", "q", "--expires-in", "30d")
    vended = ana.json(*vend, "--verbs", "reply,drain")
    assert pick(vended, "verbs", "queues") == {"verbs": ["drain", "reply"], "queues": ["q"]}
    assert vended["mcp_url"] == f"http://127.0.0.1:8080/mcp/{vended['slug']}"
    left = datetime.fromisoformat(vended["expires_at"]) - clock.now()
    assert timedelta(days=29, hours=23) < left < timedelta(days=30)
    headers = {"Authorization": f"Bearer {vended['credential']}"}
    assert world.client.get("/api/v1/whoami", headers=headers).status_code == 200


def test_a_revoked_endpoint_is_out_at_once(ana: CommandLine, world: Any) -> None:
    vended = ana.json("endpoint", "vend", "bee", "--owner", "ana")
    assert ana.json("endpoint", "revoke", vended["slug"])["state"] == "revoked"
    headers = {"Authorization": f"Bearer {vended['credential']}"}
    assert world.client.get("/api/v1/whoami", headers=headers).status_code == 401


def test_a_connection_shows_a_fingerprint(ana: CommandLine) -> None:
    more = ("--target", "acme/*", "--endpoint", "fixer", "--signature", "-- bot")
    added = ana.json(*ADD_CONNECTION, *more, stdin="a-token\n")
    assert added["id"].startswith("cn_") and len(added["fingerprint"]) == 12
    assert pick(added, "name", "kind", "account_key", "targets", "endpoints", "signature") == {
        "name": "octo",
        "kind": "github",
        "account_key": "github.com",
        "targets": ["acme/*"],
        "endpoints": ["fixer"],
        "signature": "-- bot",
    }


def test_a_connection_is_edited_rotated_and_deleted(ana: CommandLine) -> None:
    added = ana.json(*ADD_CONNECTION, "--target", "acme/*", stdin="a-token")
    edited = ana.json("connection", "edit", "octo", "--name", "hub", "--all-targets")
    assert (edited["name"], edited["targets"], edited["owner"]) == ("hub", [], {"account": "ana"})
    rotated = ana.json("connection", "rotate", "hub", "--secret-stdin", stdin="another")
    assert rotated["fingerprint"] != added["fingerprint"]
    assert ana.json("connection", "delete", "hub")["id"] == added["id"]
    assert ana.json("connection", "list") == []


def test_a_connection_test_says_who_it_is(ana: CommandLine) -> None:
    ana.json(*ADD_CONNECTION, stdin="a-token")
    result = ana.json("connection", "test", "octo")
    assert result["ok"] and result["identity"]


def test_a_connection_test_that_fails_exits_with_1(ana: CommandLine, github: GitHubStandIn) -> None:
    ana.json(*ADD_CONNECTION, stdin="a-token")
    github.program("bad_credentials", "user")
    result = ana.run("connection", "test", "octo", "--json")
    assert (result.exit_code, '"class": "auth"' in result.stdout) == (1, True)


@pytest.mark.parametrize("noun", ["account", "team", "source", "endpoint", "connection"])
def test_an_empty_list_is_an_empty_array_and_says_the_next_step(
    fresh: CommandLine, noun: str
) -> None:
    assert fresh.run(noun, "list", "--json").stdout == "[]\n"
    assert f"python -m switchboard {noun} " in fresh.text(noun, "list")


def test_the_version_is_told(fresh: CommandLine) -> None:
    assert fresh.json("version") == {"version": "0.1.0"}


def test_the_targets_of_a_source_can_be_changed(ana: CommandLine) -> None:
    source = ana.json(*ADD_SOURCE)
    ana.json("endpoint", "vend", "second", "--owner", "ana", "--queue", "bugs")
    changed = ana.json("source", "to", "octo", "second")
    assert (source["to"], changed["to"]) == (["fixer:default"], ["second:bugs"])


def test_the_name_of_a_revoked_source_is_free_again(ana: CommandLine) -> None:
    first = ana.json(*ADD_SOURCE)
    ana.json("source", "revoke", "octo")
    assert ana.json(*ADD_SOURCE)["id"] != first["id"]


def test_the_name_of_a_revoked_endpoint_is_free_again_and_means_the_new_one(
    ana: CommandLine,
) -> None:
    ana.json("endpoint", "revoke", "fixer")
    second = ana.json("endpoint", "vend", "fixer", "--owner", "ana")
    ana.json("endpoint", "revoke", "fixer")
    states = {each["id"]: each["state"] for each in ana.json("endpoint", "list")}
    assert states[second["id"]] == "revoked"


def test_an_endpoint_is_vended_with_a_group_of_verbs_and_a_ceiling(ana: CommandLine) -> None:
    vend = ("endpoint", "vend", "--owner", "ana", "--queue", "red", "--queue", "blue")
    basic = ana.json(*vend, "bee", "--verbs", "basic")
    assert basic["verbs"] == ["drain", "webhook", "session"]
    assert (basic["ceiling"]["webhooks"], basic["ceiling"]["queues"]) == (3, ["red", "blue"])
    ceiling = ("--webhooks", "7", "--webhook-kind", "gitea", "--webhook-queue", "blue")
    whole = ana.json(*vend, "wasp", "--verbs", "all", *ceiling)
    assert whole["verbs"] == ["drain", "webhook", "reply", "connection", "session"]
    assert whole["ceiling"] == {"webhooks": 7, "kinds": ["gitea"], "queues": ["blue"]}
    assert ana.json(*vend, "ant")["ceiling"] is None


def test_a_vended_endpoint_is_ready_to_be_pasted_into_a_client(ana: CommandLine) -> None:
    text = ana.text("endpoint", "vend", "bee", "--owner", "ana", "--verbs", "basic")
    assert "claude mcp add --transport http bee http://127.0.0.1:8080/mcp/bee-" in text
    assert '"mcpServers"' in text and "[mcp_servers.bee]" in text
    assert "up to 3 of github, gitea, slack, cairn, generic onto default" in text
