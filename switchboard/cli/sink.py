"""`sink`: where people are told of things."""

from __future__ import annotations

from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.outbox.topics import EVENTS
from switchboard.sinks import sinks


@click.group("sink", cls=Noun)
def command() -> None:
    """Where people are told of things, such as their mailbox."""


@command.command("add")
@click.argument("kind")
@given.owner
@click.option("--name", required=True, help="What to call it, unique with its owner.")
@click.option(
    "--address", metavar="E", help="email: where to write; without it to everybody's own address."
)
@click.option(
    "--connection", metavar="NAME", help="gotify, apprise, notify: the owner's connection to use."
)
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice(list(EVENTS)),
    help="Only of this; repeatable. Without it of everything.",
)
def add(
    *,
    kind: str,
    owner: str,
    name: str,
    address: str | None,
    connection: str | None,
    events: tuple[str, ...],
) -> Shown:
    """Tell an owner of things: email, gotify, apprise or notify."""
    new = sinks.NewSink(kind, name, owner, address, connection, events or tuple(EVENTS))
    made = sinks.add(box.ready(), Machine(), new)
    table = say.fields(
        [
            ("id", made["id"]),
            ("kind", made["kind"]),
            ("owner", say.owner(made["owner"])),
            ("to", _where(made)),
            ("tells of", made["events"]),
        ]
    )
    try_it = f"Try it: python -m switchboard sink test {made['name']}"
    return Shown(made, say.blocks(f"The sink {made['name']} is there.", table, try_it))


def _where(sink: dict[str, Any]) -> str:
    if sink["kind"] == "email":
        return sink["address"] or "everybody's own address"
    return sink["connection"] or "a connection that is gone"


@command.command("list")
def show_all() -> Shown:
    """All sinks, what they tell of and how they are doing."""
    found = sinks.in_view(box.ready(), Machine())
    if not found:
        hint = "python -m switchboard sink add email --owner NAME --name mail"
        return Shown([], f"No sinks yet. Add one: {hint}")
    rows = [
        (
            each["name"],
            each["kind"],
            say.owner(each["owner"]),
            _where(each),
            each["events"],
            _health(each),
            each["waiting"],
            each["id"],
        )
        for each in found
    ]
    headers = ("NAME", "KIND", "OWNER", "TO", "TELLS OF", "HEALTH", "WAITING", "ID")
    return Shown(found, say.table(headers, rows))


def _health(sink: dict[str, Any]) -> str:
    failed = sink["last_failure"]
    if sink["health"] != "fails" or failed is None:
        return str(sink["health"])
    return f"fails ({failed['class']} {failed['code']})"


@command.command("test")
@click.argument("sink")
def test(sink: str) -> Shown:
    """Send one message through it now; exit 1 when it is not taken."""
    result = sinks.test(box.ready(), Machine(), sink)
    if result["ok"]:
        return Shown(result, f"The sink {sink} took the message.")
    why = f"{result['class']} {result['code']}"
    return Shown(result, f"The sink {sink} did not take the message ({why}).", good=False)


@command.command("delete")
@click.argument("sink")
def delete(sink: str) -> Shown:
    """Forget it and what waits in it; its connection stays."""
    gone = sinks.delete(box.ready(), Machine(), sink)
    return Shown(gone, f"The sink {gone['name']} is deleted.")
