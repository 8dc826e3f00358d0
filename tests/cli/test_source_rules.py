"""Rules, send test and replay from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.world import World

RULES = [{"when": '.issue.title == "noise"', "drop": True}, {"when": "true", "to": ["fixer"]}]


@pytest.fixture
def octo(cli: CommandLine, world: World) -> CommandLine:
    """A command line with a source `octo` that took noise and a wish."""
    for number, title in enumerate(("noise", "a wish"), 1):
        assert world.deliver(world.issue(number, title)).status_code == 202
    return cli


def test_rules_are_set_from_a_file_or_stdin_and_shown(octo: CommandLine, tmp_path: Path) -> None:
    assert "has no rules" in octo.text("source", "rules", "octo")
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(RULES))
    assert octo.json("source", "rules", "octo", "--file", str(file)) == RULES
    shown = octo.text("source", "rules", "octo")
    assert "drop" in shown and "to fixer" in shown
    assert octo.json("source", "rules", "octo", "--file", "-", stdin="[]") == []


def test_a_dry_run_shows_what_each_would_have_become_and_keeps_nothing(octo: CommandLine) -> None:
    args = ("source", "rules", "octo", "--file", "-", "--dry-run")
    tried = octo.json(*args, stdin=json.dumps(RULES))
    assert [each["result"] for each in tried] == ["to fixer:default", "dropped"]
    assert "1: matched: dropped" in octo.text(*args, stdin=json.dumps(RULES))
    assert octo.json("source", "rules", "octo") == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{", "not JSON"),
        ("{}", "list of up to 20"),
        ('[{"when": ".a ==", "drop": true}]', "Rule 1: its program does not compile"),
        ("[" + "1," * 200_000 + "1]", "more than"),
    ],
)
def test_what_is_no_list_of_rules_is_bad_input(octo: CommandLine, given: str, said: str) -> None:
    code, sentence = octo.error("source", "rules", "octo", "--file", "-", stdin=given)
    assert (code, said in sentence) == (2, True), sentence


def test_a_file_that_is_not_there_is_bad_input(octo: CommandLine) -> None:
    code, sentence = octo.error("source", "rules", "octo", "--file", "/nowhere/rules.json")
    assert (code, "cannot be read" in sentence) == (2, True)


def test_a_delivery_is_replayed_and_its_trace_shown(octo: CommandLine) -> None:
    octo.json("source", "rules", "octo", "--file", "-", stdin=json.dumps(RULES))
    wish, noise = octo.json("delivery", "list")
    new = octo.json("delivery", "replay", noise["id"])
    assert (new["replay_of"], new["code"]) == (noise["id"], "rule")
    shown = octo.text("delivery", "show", new["id"])
    assert "matched: dropped" in shown and noise["id"] in shown
    assert "Replayed as dl_" in octo.text("delivery", "replay", wish["id"])


def test_a_replay_shows_what_it_is_a_replay_of(octo: CommandLine) -> None:
    old = octo.json("delivery", "list")[0]
    new = octo.json("delivery", "replay", old["id"])
    assert re.search(rf"^  replay of +{old['id']}$", octo.text("delivery", "show", new["id"]), re.M)


def test_a_replay_that_is_refused_exits_with_1(octo: CommandLine) -> None:
    octo.json("source", "letters", "octo", "")
    result = octo.run("delivery", "replay", octo.json("delivery", "list")[0]["id"])
    assert (result.exit_code, "missing_capability" in result.stdout) == (1, True)


def test_a_send_test_that_reaches_nobody_exits_with_1_and_says_what_to_do(
    octo: CommandLine,
) -> None:
    octo.environ = {**octo.environ, "SWITCHBOARD_BASE_URL": "http://127.0.0.1:9"}
    result = octo.run("source", "test", "octo")
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.count("did not arrive (network connect)") == 2
    assert "SWITCHBOARD_BASE_URL" in result.stdout
