"""The top of the command line: which nouns there are, and how a failure is told.

Errors are one line on stderr with the stable code. Exit 2: the input is wrong. 1: a refusal or a
failure. 130: interrupted.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click
from click.exceptions import NoArgsIsHelpError

from switchboard.errors import Problem, SettingsError

# Noun → its line in the help. The file of that name in this package has the command, so that
# nothing is loaded but what is asked for.
NOUNS = {
    "account": "People who can sign in, their letters and operator tokens.",
    "team": "Several accounts that own things together.",
    "source": "Who may write in: webhooks and their secrets.",
    "endpoint": "What agents work with: queues, verbs and a credential.",
    "connection": "The credentials that answers are posted with.",
    "delivery": "The log of everything that came in, refusals too.",
    "todo": "The work that deliveries became.",
    "thread": "Tickets, forum threads and landings, and what was said on them.",
    "session": "Agents at work, and where their answers go.",
    "ask": "Ask a human about a work item.",
    "directive": "What to put into an agent's instructions: how to ask, and what a doorbell means.",
    "attention": "What needs a human, the broken before the waiting.",
    "events": "What was done, by whom and to what.",
    "sign": "Sign a body for a signed source: print the headers, or send it.",
    "mcp": "A bridge for MCP clients that speak only stdio.",
    "vault": "The encryption of stored secrets.",
    "db": "The database: upgrade and backup.",
    "doctor": "Check this installation and say what to do.",
    "version": "Print the version.",
}

BAD_INPUT, FAILED, INTERRUPTED = 2, 1, 130


class Root(click.Group):
    """Loads a noun's file when it is named, and ends the process on every outcome."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The nouns, in the order of the table."""
        return list(NOUNS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The noun's command, which its file calls `command`."""
        if cmd_name not in NOUNS:
            return None
        command = import_module(f"switchboard.cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The nouns with their lines, without loading any."""
        with formatter.section("Nouns"):
            formatter.write_dl(list(NOUNS.items()))

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run, then exit with a code; never with a traceback for what a user can cause."""
        _tolerate_terminals()
        try:
            done = super().main(*args, **{**extra, "standalone_mode": False})
            code = done if isinstance(done, int) else 0
        except Exception as error:
            code = _tell(error)
            _leave_output()
        sys.exit(code)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what is not text: no name, and no database, can hold it."""
        if any("\udc80" <= character <= "\udcff" for arg in args for character in arg):
            raise click.UsageError("An argument is not UTF-8 text.")
        return super().parse_args(ctx, args)


def _tolerate_terminals() -> None:
    """A terminal that cannot show a character shows another one instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")


def _leave_output() -> None:
    """What cannot be written is not tried once more as Python ends: that would change the exit code."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(error: Exception) -> int:
    """Say what went wrong on stderr and return the exit code."""
    if isinstance(error, NoArgsIsHelpError):
        click.echo(error.ctx.get_help() if error.ctx else error.format_message(), err=True)
        return BAD_INPUT
    if isinstance(error, click.Abort):
        return INTERRUPTED
    sentence, code, exit_code = _in_words(error)
    click.echo(f"error: {' '.join(sentence.split())} ({code})", err=True)
    return exit_code


def _in_words(error: Exception) -> tuple[str, str, int]:
    if isinstance(error, Problem):
        wait = f" Try again in {error.retry_after} s." if error.status == 429 else ""
        return error.detail + wait, error.code, BAD_INPUT if error.status in (400, 422) else FAILED
    if isinstance(error, SettingsError):
        return f"{error}.", "invalid_settings", BAD_INPUT
    if isinstance(error, click.ClickException):
        return _usage(error), "invalid_argument", BAD_INPUT
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        return f"The system refused{where}: {error.strerror}.", "storage_unavailable", FAILED
    _trace(error)
    return f"This should not happen ({type(error).__name__}); see above.", "internal", FAILED


def _usage(error: click.ClickException) -> str:
    sentence = error.format_message().rstrip(".") + "."
    context = getattr(error, "ctx", None)
    return sentence if context is None else f"{sentence} See {context.command_path} --help."


def _trace(error: Exception) -> None:
    import logging  # late: only a fault of ours needs these

    from switchboard.lib.logs import LineFormatter

    found = (type(error), error, error.__traceback__)
    record = logging.LogRecord("switchboard.cli", logging.ERROR, "", 0, "a fault", None, found)
    click.echo(LineFormatter("plain").format(record), err=True)


root = Root(
    name="switchboard",
    help="Run a Switchboard from the command line, on the settings and database of the web process.",
    epilog="Every command takes --json. Secrets are read from standard input and shown once.",
)
