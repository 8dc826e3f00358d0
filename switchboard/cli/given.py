"""Reading what people give: durations, moments, limits, owners, and secrets from standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any, BinaryIO, TypeVar

import click

from switchboard.errors import Invalid
from switchboard.lib import clock

MAX_SECRET_BYTES = 65_536

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Duration(click.ParamType[int]):
    """Seconds, or a number with a unit; whole seconds come out."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seconds. Fails on anything else, and beyond ten years."""
        seconds = clock.seconds_in(str(value))
        if seconds is None or not 1 <= seconds <= clock.MOST_SECONDS:
            self.fail("Give seconds, or for example 30m, 12h, 30d; up to ten years.", param, ctx)
        return seconds


class Moment(click.ParamType[datetime]):
    """A date, a date with time (UTC unless it says otherwise), or how long ago."""

    name = "moment"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """The moment, in UTC."""
        try:
            return clock.moment(str(value))
        except ValueError as error:
            self.fail(f"{str(error).capitalize()}.", param, ctx)


owner = click.option("--owner", required=True, metavar="NAME", help="Account or team that owns it.")
secret_stdin = click.option(
    "--secret-stdin", is_flag=True, help="Read the secret from standard input."
)


def limit(most: int = 1000) -> Callable[[Decorated], Decorated]:
    """The `--limit` option of a list."""
    return click.option(
        "--limit",
        type=click.IntRange(1, most),
        default=50,
        show_default=True,
        help="How many to show, the newest.",
    )


def read_secret(what: str) -> str:
    """The secret on standard input without one trailing newline; at a terminal it is asked for.

    Raises Invalid when there is none, or it is no text.
    """
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True, err=True))
    raw = sys.stdin.buffer.read(MAX_SECRET_BYTES + 1)
    if len(raw) > MAX_SECRET_BYTES:
        raise Invalid(f"The {what.lower()} on standard input is absurdly long.", field="secret")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise Invalid(
            f"The {what.lower()} on standard input is not text.", field="secret"
        ) from None
    secret = text.removesuffix("\r\n" if text.endswith("\r\n") else "\n")
    if not secret:
        raise Invalid(f"There is no {what.lower()} on standard input.", field="secret")
    return secret


def text_in(file: BinaryIO, most: int, field: str) -> str:
    """The text of an open file. Raises Invalid for more than `most` bytes (whole KiB), or no text."""
    raw = file.read(most + 1)
    if len(raw) > most:
        raise Invalid(f"The {field} has more than {most // 1024} KiB.", field=field)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise Invalid(f"The {field} is not UTF-8 text.", field=field) from None


def newest(
    count: int, page: Callable[[str | None, int], tuple[list[Any], str | None]]
) -> list[Any]:
    """Up to `count` rows from pages of 200, newest first; `page` takes `after` and a size."""
    rows: list[Any] = []
    after: str | None = None
    while len(rows) < count:
        found, after = page(after, min(200, count - len(rows)))
        rows += found
        if after is None:
            break
    return rows
