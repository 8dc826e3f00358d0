"""What every command is: it returns what it has to show, and `--json` chooses the form."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class Shown:
    """`data` is printed with `--json`, `text` without. Unless `good`, the command exits with 1."""

    data: Any
    text: str
    good: bool = True


class Verb(click.Command):
    """A command whose function returns a Shown."""

    def __init__(self, *args: Any, **extra: Any) -> None:
        super().__init__(*args, **extra)
        json_help = "Print one JSON value and nothing else."
        self.params.append(click.Option(["--json", "as_json"], is_flag=True, help=json_help))

    def get_short_help_str(self, limit: int = 100) -> str:  # noqa: ARG002
        """The first sentence whole, in a list of verbs."""
        return super().get_short_help_str(100)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse, and refuse what is left over without repeating it: it may be a secret."""
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            count = "is one argument" if len(left) == 1 else f"are {len(left)} arguments"
            ctx.fail(f"There {count} too many; secrets are read from standard input only.")
        return left

    def invoke(self, ctx: click.Context) -> None:
        """Run the command and print what it returns."""
        as_json = ctx.params.pop("as_json")
        shown: Shown = super().invoke(ctx)
        click.echo(json.dumps(shown.data, indent=2) if as_json else shown.text)
        sys.stdout.flush()
        if not shown.good:
            ctx.exit(1)


class Noun(click.Group):
    """A noun with its verbs."""

    command_class = Verb
