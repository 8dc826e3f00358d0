"""Vending an endpoint on its page: the families, the ceiling, one click, what is pasted into a client."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from typing import Any

import pytest

from switchboard.access import clients
from tests.web.conftest import Human
from tests.web.test_settings import error_of, text
from tests.world import World

PAGE = "/settings/endpoints"
QUICK = f"{PAGE}/quick"


def vended(world: World, name: str) -> dict[str, Any]:
    every = world.operator("GET", "/endpoints").json["endpoints"]
    [found] = [each for each in every if each["name"] == name]
    return found


def pasted(page: str, label: str) -> str:
    """The text under the heading that begins so."""
    found = re.search(rf"<h2[^>]*>{re.escape(label)} .*?<pre[^>]*>(.*?)</pre>", page, re.DOTALL)
    assert found, label
    return found[1]


def test_one_click_vends_the_basic_verbs_under_a_free_name(ana: Human, world: World) -> None:
    for name in ("agent", "agent-2"):
        offered = re.search(r'name="quick-name"[^>]* value="([^"]*)"', ana.get(PAGE).text)
        assert offered and offered[1] == name
        answer = ana.send(QUICK, seen_at=PAGE, **{"quick-name": name})
        assert (answer.status_code, "sbk_" in answer.text) == (201, True)
    found = vended(world, "agent-2")
    assert found["verbs"] == ["drain", "webhook", "session"]
    assert (found["queues"], found["ceiling"]["webhooks"]) == (["default"], 3)


@pytest.mark.parametrize("name", ["", "not a name", "fixer"])
def test_a_name_that_cannot_be_is_told_beside_the_one_click(
    ana: Human, world: World, name: str
) -> None:
    assert world.endpoint
    answer = ana.send(QUICK, seen_at=PAGE, **{"quick-name": name})
    assert (answer.status_code, "sbk_" in answer.text) == (422, False)
    assert error_of(answer.text, "quick-name")


def test_the_ceiling_is_chosen_with_the_webhook_verbs(ana: Human, world: World) -> None:
    answer = ana.send(
        PAGE,
        name="maker",
        queues="fast slow",
        verbs=["drain", "webhook"],
        ceiling="1",
        ceiling_kinds=["gitea", "slack"],
        ceiling_queues="slow",
    )
    assert answer.status_code == 201
    assert "up to 1 of gitea, slack onto slow" in answer.text
    assert "up to 1 of gitea, slack onto slow" in ana.read(PAGE)
    ceiling = {"webhooks": 1, "kinds": ["gitea", "slack"], "queues": ["slow"]}
    assert vended(world, "maker")["ceiling"] == ceiling


def test_without_the_webhook_verbs_there_is_no_ceiling(ana: Human, world: World) -> None:
    wanted = {"name": "plain", "verbs": ["drain"], "ceiling": "10", "ceiling_kinds": ["github"]}
    assert ana.send(PAGE, **wanted).status_code == 201
    assert vended(world, "plain")["ceiling"] is None


@pytest.mark.parametrize(
    "wanted", [{"ceiling_kinds": []}, {"ceiling_kinds": ["signed"]}, {"ceiling_queues": "else"}]
)
def test_a_ceiling_that_cannot_be_is_told_beside_it(ana: Human, wanted: dict[str, Any]) -> None:
    good = {"name": "maker", "verbs": ["webhook"], "ceiling_kinds": ["github"]}
    answer = ana.send(PAGE, **good | wanted)
    assert answer.status_code == 422
    assert "invalid_argument" in error_of(answer.text, "ceiling")


def test_each_client_gets_what_it_reads(
    ana: Human, world: World, subtests: pytest.Subtests
) -> None:
    page = text(ana.send(PAGE, name="fix.er", verbs=["drain"]))
    url = vended(world, "fix.er")["mcp_url"]
    found = re.search(r"sbk_[A-Za-z0-9_-]+", page)
    assert found
    bearer = f"Bearer {found[0]}"
    server = {"type": "http", "url": url, "headers": {"Authorization": bearer}}
    with subtests.test("Claude Code"):
        assert shlex.split(pasted(page, "Claude Code")) == [
            *("claude", "mcp", "add", "--transport", "http", "fix-er", url),
            *("--header", f"Authorization: {bearer}"),
        ]
    with subtests.test("Cursor and others"):
        assert json.loads(pasted(page, "Cursor")) == {"mcpServers": {"fix-er": server}}
    with subtests.test("VS Code"):
        assert json.loads(pasted(page, "VS Code")) == {"servers": {"fix-er": server}}
    with subtests.test("Codex"):
        read = tomllib.loads(pasted(page, "Codex"))
        headers = {"Authorization": bearer}
        assert read == {"mcp_servers": {"fix-er": {"url": url, "http_headers": headers}}}
    with subtests.test("Claude Desktop"):  # takes command, args and env, and skips all else
        config = json.loads(pasted(page, "Claude Desktop"))["mcpServers"]["fix-er"]
        assert set(config) == {"command", "args", "env"}
        assert config["args"][-2:] == ["--url", url]
        assert config["env"]["SWITCHBOARD_CREDENTIAL"] == found[0]


def test_the_paths_of_another_machine_are_left_to_fill_in() -> None:
    endpoint = {"name": "fixer", "mcp_url": "https://switchboard.example.org/mcp/fixer-316f7a02"}
    [paste] = [p for p in clients.pastes(endpoint, "sbk_x") if p.client == "Claude Desktop"]
    config = json.loads(paste.text)["mcpServers"]["fixer"]
    assert config["command"] == "/path/to/switchboard/.venv/bin/python"
    assert config["env"]["PYTHONPATH"] == "/path/to/switchboard"


def test_what_an_agent_made_is_said_on_the_sources_page(ana: Human, world: World) -> None:
    by_hand = world.add_source("by-hand").source["id"]
    maker = world.vend("maker", verbs=["webhook"])
    new = {"kind": "github", "name": "site"}
    made = world.agent("POST", "/webhooks", new, by=maker).json["id"]
    assert "the agent maker, who knows its secret" in ana.read(f"/settings/sources/{made}")
    assert "who knows its secret" not in ana.read(f"/settings/sources/{by_hand}")
