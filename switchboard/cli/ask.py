"""`ask`: a question to a human, asked in this process, which needs the database and nothing else.

So it works while the web process, the workers and Valkey are down: what an agent does when it is stuck must
not get stuck itself.
"""

from __future__ import annotations

import getpass
from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Shown, Verb
from switchboard.replies.accept import MAX_TEXT
from switchboard.sessions import asking

MAX_BYTES = 4 * MAX_TEXT  # a character has up to four; its own count comes after


@click.command("ask", cls=Verb)
@click.option("--work-item", required=True, metavar="REF", help="Such as github:acme/rocket#7.")
@click.option("--question", metavar="TEXT", help="What to ask, in Markdown.")
@click.option(
    "--question-file",
    type=click.File("rb"),
    metavar="FILE",
    help="Read it from this file; - is standard input.",
)
@click.option(
    "--owner", metavar="NAME", help="Account or team that is asked, if there are several."
)
@click.option("--actor", metavar="NAME", help="Who asks, as recorded; else the login name.")
def command(
    *,
    work_item: str,
    question: str | None,
    question_file: Any,
    owner: str | None,
    actor: str | None,
) -> Shown:
    """Ask a human about a work item; exit 1 when the comment could not be posted."""
    if (question is None) == (question_file is None):
        raise click.UsageError("Give --question or --question-file, one of them.")
    text = given.text_in(question_file, MAX_BYTES, "question") if question is None else question
    wanted = asking.Question(work_item, text, actor=actor or _login(), owner=owner)
    return _shown(asking.ask_here(box.ready(), Machine(), wanted))


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have a number and no name
        return ""


def _shown(asked: asking.Asked) -> Shown:
    told, said = asked.as_dict(), " ".join(asked.messages)
    if asked.posted:
        return Shown(told, f"{asked.ref}: {said}")
    click.echo(f"error: {say.visible(said)} (comment_not_posted)", err=True)
    return Shown(
        told, f"The question on {asked.ref} is recorded: the operator sees it.", good=False
    )
