"""`todo`: the work that deliveries became."""

from __future__ import annotations

import json
from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.todos import leases, views


@click.group("todo", cls=Noun)
def command() -> None:
    """The work that deliveries became."""


@command.command("list")
@click.option("--state", type=click.Choice(views.STATES), help="Only in this state.")
@click.option("--queue", help="Only on this queue.")
@given.limit()
def show_all(state: str | None, queue: str | None, limit: int) -> Shown:
    """Todos, newest first."""
    lib = box.ready()

    def page(after: str | None, size: int) -> tuple[list[dict[str, Any]], str | None]:
        found = views.search_as_operator(
            lib, Machine(), state=state, queue=queue, after=after, limit=size
        )
        return found.todos, found.next

    found = given.newest(limit, page)
    if not found:
        nothing = "No todo matches." if state or queue else "No todos yet: they come of deliveries."
        return Shown([], nothing)
    rows = [
        (
            say.when(todo["created_at"]),
            todo["state"],
            todo["queue"],
            todo["source"],
            todo["title"],
            todo["reply_to"] and todo["reply_to"]["display"],
            todo["id"],
        )
        for todo in found
    ]
    headers = ("CREATED", "STATE", "QUEUE", "SOURCE", "TITLE", "REPLY TO", "ID")
    return Shown(found, say.table(headers, rows))


@command.command("show")
@click.argument("todo")
def show(todo: str) -> Shown:
    """One todo whole, with its payload."""
    found = views.get_as_operator(box.ready(), Machine(), todo)
    return Shown(found, _whole(found))


def _whole(found: dict[str, Any]) -> str:
    replies = found["replies"]
    names = ("id", "title", "state", "queue", "endpoint", "source", "kind", "subject", "delivery")
    head = say.fields(
        [
            *((name, found[name]) for name in names),
            ("reply to", found["reply_to"] and found["reply_to"]["display"]),
            ("replies", f"{replies['count']}, the last {replies['last_state'] or '-'}"),
            ("permalink", replies["last_permalink"]),
            ("ticket", found["thread"] and found["thread"]["ref"]),
            ("attempt", found["attempt"]),
            ("failures", found["failures"]),
            ("last failure", found["last_failure"]),
            ("created", say.when(found["created_at"])),
            ("not before", say.when(found["not_before"])),
            ("lease until", say.when(found["lease_expires_at"])),
            ("finished", say.when(found["finished_at"])),
            ("dead-lettered", say.when(found["dead_lettered_at"])),
        ]
    )
    parts = [f"{name.title()}\n{_json(found[name])}" for name in ("result", "payload")]
    return say.blocks(head, *parts)


def _json(value: Any) -> str:
    return say.visible(json.dumps(value, indent=2, ensure_ascii=False))


@command.command("retry")
@click.argument("todo")
def retry(todo: str) -> Shown:
    """Put a failed or waiting todo back on its queue, with all its attempts before it."""
    done = leases.retry(box.ready(), Machine(), todo)
    return Shown(done, f"Todo {done['id']} is {done['state']} again on queue {done['queue']}.")
