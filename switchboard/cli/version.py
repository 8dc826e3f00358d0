"""`version`: which Switchboard this is."""

from __future__ import annotations

import click

from switchboard import __version__
from switchboard.cli.verbs import Shown, Verb


@click.command("version", cls=Verb)
def command() -> Shown:
    """Print the version."""
    return Shown({"version": __version__}, f"switchboard {__version__}")
