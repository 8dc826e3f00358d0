"""`attention`: what needs a human."""

from __future__ import annotations

import click

from switchboard.access.principals import Machine
from switchboard.attention.gather import gather
from switchboard.cli import box, say
from switchboard.cli.verbs import Shown, Verb


@click.command("attention", cls=Verb)
def command() -> Shown:
    """What needs a human, the broken before the waiting."""
    lib = box.ready()
    found = gather(lib, Machine())
    told = [need.as_dict(lib.settings.base_url) for need in found]
    if not found:
        return Shown(told, "Nothing needs a human.")
    rows = [(say.when(need.since), need.kind, need.title, need.detail, need.ref) for need in found]
    return Shown(told, say.table(("SINCE", "KIND", "WHAT", "WHY", "REF"), rows))
