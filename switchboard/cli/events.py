"""`events`: what was done, by whom and to what."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from switchboard.access import audit
from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Shown, Verb
from switchboard.events.catalogue import TYPES
from switchboard.lib.text import one_line

MAX_VALUE = 80  # characters of one value in a line


@click.command("events", cls=Verb)
@click.option("--types", "types", is_flag=True, help="The catalogue of types instead.")
@click.option("--type", "type_", metavar="TYPE", help="Only of this type.")
@click.option("--about", metavar="ID", help="Only about the thing with this id.")
@click.option("--ref", metavar="REF", help="Only about this work item, as in github:acme/rocket#7.")
@click.option(
    "--since", type=given.Moment(), metavar="TIME", help="Only from then on: 2h, 7d, 2026-07-01."
)
@given.limit()
def command(
    *,
    types: bool,
    type_: str | None,
    about: str | None,
    ref: str | None,
    since: datetime | None,
    limit: int,
) -> Shown:
    """What was done, by whom and to what, newest first."""
    if types:
        return Shown(TYPES, say.table(("TYPE", "MEANING"), list(TYPES.items())))
    lib = box.ready()

    def page(after: str | None, size: int) -> tuple[list[dict[str, Any]], str | None]:
        wanted = {"type": type_, "about": about, "ref": ref, "since": since}
        found = audit.in_view(lib, Machine(), **wanted, after=after, limit=size)
        return found.events, found.next

    found = given.newest(limit, page)
    if not found:
        return Shown([], "No event matches.")
    rows = [
        (say.when(e["at"]), e["type"], e["about"], e["actor"], _told(e["data"]), e["id"])
        for e in found
    ]
    return Shown(found, say.table(("AT", "TYPE", "ABOUT", "BY", "WHAT", "ID"), rows))


def _told(data: dict[str, Any]) -> str:
    told = {
        name: one_line(str(value), MAX_VALUE) for name, value in data.items() if value is not None
    }
    return ", ".join(f"{name} {value}" for name, value in told.items() if value)
