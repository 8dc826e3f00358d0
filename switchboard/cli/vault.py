"""`vault`: the encryption of stored secrets."""

from __future__ import annotations

from dataclasses import asdict

import click

from switchboard.access import rotation as of_programs
from switchboard.access.principals import Machine
from switchboard.cli import box, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.inbound import rotation as of_sources
from switchboard.lib.rotation import Tally
from switchboard.notify import rotation as of_hooks
from switchboard.vault import rotation as of_connections


@click.group("vault", cls=Noun)
def command() -> None:
    """The encryption of stored secrets."""


@command.command("rotate")
def rotate() -> Shown:
    """Seal every stored secret anew under the key in use.

    First set the new key as SWITCHBOARD_ENCRYPTION_KEY and the one before it as
    SWITCHBOARD_ENCRYPTION_KEY_OLD, and restart the box. Running it again changes nothing.
    """
    lib, who = box.ready(), Machine()
    connections, sources = of_connections.reseal(lib, who), of_sources.reseal(lib, who)
    hooks, programs = of_hooks.reseal(lib, who), of_programs.reseal(lib, who)
    before = connections + sources + hooks + programs
    data = {
        "resealed": before.old,
        "unchanged": before.current,
        "unreadable": before.lost,
        "connections": _counts(connections),
        "sources": _counts(sources),
        "hooks": _counts(hooks),
        "programs": _counts(programs),
    }
    return Shown(
        data, _told(before, lib.settings["ENCRYPTION_KEY_OLD"] is not None), good=not before.lost
    )


def _counts(before: Tally) -> dict[str, int]:
    names = {"current": "unchanged", "old": "resealed", "lost": "unreadable"}
    return {names[name]: count for name, count in asdict(before).items()}


def _told(before: Tally, has_old_key: bool) -> str:
    sealed = (
        f"Sealed {before.old} stored secrets anew; {before.current} were under this key already."
    )
    if before.lost:
        return say.blocks(
            sealed,
            f"{before.lost} open with neither key and stay as they are. Set the key they were "
            "sealed with as SWITCHBOARD_ENCRYPTION_KEY_OLD and run this again, or store them again.",
        )
    done = "Nothing needs SWITCHBOARD_ENCRYPTION_KEY_OLD any more: unset it and restart."
    return f"{sealed} {done}" if has_old_key else sealed
