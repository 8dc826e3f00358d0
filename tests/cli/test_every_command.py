"""What holds for every command there is."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from switchboard.cli.root import NOUNS, root
from tests.cli.conftest import CommandLine


def commands() -> Iterator[tuple[str, ...]]:
    context = click.Context(root)
    for noun in NOUNS:
        command = root.get_command(context, noun)
        verbs = command.list_commands(context) if isinstance(command, click.Group) else [None]
        for verb in verbs:
            yield (noun, verb) if verb else (noun,)


EVERY = list(commands())


def found(names: tuple[str, ...]) -> click.Command:
    command: click.Command | None = root
    for name in names:
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), name)
    assert command is not None
    return command


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_it_takes_json_and_has_a_help_line(names: tuple[str, ...]) -> None:
    result = CommandLine({}).run(*names, "--help")
    command = found(names)
    # the bridge's output is a protocol already
    assert (result.exit_code, "--json" in result.stdout) == (0, names != ("mcp",))
    assert command.help and command.help.split("\n")[0].endswith((".", "1.", "once."))
    options = [param for param in command.params if isinstance(param, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("noun", NOUNS)
def test_the_list_of_nouns_says_what_the_noun_says(noun: str) -> None:
    help_text = found((noun,)).help or ""
    assert help_text.startswith(NOUNS[noun].rstrip(".").split(" and say")[0])


def test_help_lists_every_noun_and_runs_nothing() -> None:
    result = CommandLine({"SWITCHBOARD_DATA": "/nowhere"}).run("--help")
    assert (result.exit_code, [noun for noun in NOUNS if f"\n  {noun} " not in result.stdout]) == (
        0,
        [],
    )


def test_without_arguments_the_help_goes_to_stderr() -> None:
    result = CommandLine({}).run()
    assert (result.exit_code, result.stdout, "Nouns:" in result.stderr) == (2, "", True)
    assert "Commands:" in CommandLine({}).run("account").stderr
