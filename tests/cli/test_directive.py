"""`directive`: the text for an agent's instructions."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from switchboard.cli.root import root
from switchboard.mcp.registry import FAMILIES
from switchboard.replies.marker import is_marked
from tests.cli.conftest import CommandLine

NOWHERE = {"SWITCHBOARD_DATA": "/nowhere"}


def test_it_needs_no_settings_and_says_the_same_to_everybody(tmp_path: Path) -> None:
    elsewhere = {"SWITCHBOARD_DATA": str(tmp_path), "SWITCHBOARD_BASE_URL": "https://example.org"}
    said = CommandLine(NOWHERE).text("directive")
    assert said == CommandLine(elsewhere).text("directive")
    assert CommandLine(NOWHERE).json("directive") == {"directive": said.rstrip("\n")}
    assert not list(tmp_path.iterdir())


def test_the_command_it_tells_is_one_that_there_is() -> None:
    said = CommandLine(NOWHERE).text("directive")
    [line] = re.findall(r"^    python -m switchboard (.*) <<'QUESTION'$", said, re.MULTILINE)
    verb, *options = shlex.split(line)
    command = root.get_command(None, verb)  # type: ignore[arg-type]
    known = {name for param in command.params for name in param.opts}  # type: ignore[union-attr]
    assert {each for each in options if each.startswith("--")} <= known


def test_the_tools_it_names_are_ones_that_there_are() -> None:
    said = CommandLine(NOWHERE).text("directive")
    [named] = re.findall(r"MCP tools of Switchboard instead: (.*)\.", said)
    tools = {tool.name for family in FAMILIES.values() for tool in family.tools}
    assert set(re.findall(r"\w+_?\w+", named.replace("then", ""))) <= tools


def test_the_code_it_tells_stands_where_a_wait_is_recorded_and_nowhere_else(
    ana: CommandLine, environ: dict[str, str]
) -> None:
    assert "Exit 1 with (comment_not_posted)" in CommandLine(NOWHERE).text("directive")
    ask = ("ask", "--work-item", "github:acme/rocket#7", "--question", "Which way?")
    recorded = ana.run(*ask)
    assert recorded.exit_code == 1 and recorded.stderr.endswith("(comment_not_posted)\n")
    away = CommandLine({**environ, "SWITCHBOARD_DATABASE_URL": "sqlite:////nowhere/x.db"})
    for status, nothing in (ana.error(*ask, "--owner", "nobody"), away.error(*ask)):
        assert status == 1 and "comment_not_posted" not in nothing
    assert len(ana.json("events", "--type", "session.awaiting_input")) == 1


def test_the_comment_of_an_agent_without_the_command_is_known_again() -> None:
    [line] = re.findall(r"^    (\[.*\])$", CommandLine(NOWHERE).text("directive"), re.MULTILINE)
    assert is_marked(f"Which database?\n\n{line}")
