"""`directive`: what to put into an agent's instructions. Needs no settings and no database."""

from __future__ import annotations

import click

from switchboard.cli.verbs import Shown, Verb
from switchboard.sessions.directive import DIRECTIVE


@click.command("directive", cls=Verb)
def command() -> Shown:
    """What to put into an agent's instructions: how to ask, and what a doorbell means."""
    return Shown({"directive": DIRECTIVE}, DIRECTIVE)
