"""`thread`: tickets, forum threads and landings."""

from __future__ import annotations

from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.threads import comments, opening, refs, states, texts, views

VIA = "cli"


@click.group("thread", cls=Noun)
def command() -> None:
    """Tickets, forum threads and landings, and what was said on them."""


_body_file = click.option(
    "--body-file",
    type=click.File("rb"),
    help="Read the text from this file; - is standard input.",
)


def _text(file: Any) -> str:
    """The text of a file, none for none. Raises Invalid when it is too long or no text."""
    return given.text_in(file, texts.MAX_BODY_BYTES, "text") if file else ""


@command.command("create")
@click.option("--kind", required=True, type=click.Choice(refs.KINDS), help="What it is.")
@click.option("--repo", required=True, metavar="NAME", help="The repo it is filed under.")
@click.option("--title", required=True, metavar="LINE", help="What it is about.")
@click.option("--owner", metavar="NAME", help="Account or team that owns the repo, if it is new.")
@click.option("--label", "labels", multiple=True, metavar="LABEL", help="A label; may be repeated.")
@click.option("--mirror-of", metavar="URL", help="The history it copies; it then takes no writes.")
@_body_file
def create(
    kind: str,
    repo: str,
    title: str,
    owner: str | None,
    labels: tuple[str, ...],
    mirror_of: str | None,
    body_file: Any,
) -> Shown:
    """Open a thread; a repo that nobody has yet is made for the owner."""
    new = opening.NewThread(
        repo, kind, title, _text(body_file), labels, owner=owner, mirror_of=mirror_of
    )
    made = opening.open_thread(box.ready(), Machine(), new, via=VIA)
    return Shown(made, f"Opened {made['ref']}, {made['id']}.")


@command.command("list")
@click.option("--repo", metavar="NAME", help="Only of this repo.")
@click.option("--kind", type=click.Choice(refs.KINDS), help="Only of this kind.")
@click.option("--state", type=click.Choice(views.STATES), help="Only in this state.")
@given.limit()
def show_all(repo: str | None, kind: str | None, state: str | None, limit: int) -> Shown:
    """Threads, newest first."""
    lib, wanted = box.ready(), views.Filters(repo, kind, state)

    def page(after: str | None, size: int) -> tuple[list[dict[str, Any]], str | None]:
        found = views.search(lib, Machine(), wanted, after=after, limit=size)
        return found.threads, found.next

    found = given.newest(limit, page)
    if not found:
        nothing = "No thread matches." if repo or kind or state else "There are no threads yet."
        return Shown([], nothing)
    rows = [
        (
            say.when(each["created_at"]),
            each["state"],
            each["ref"],
            _who(each["author"]),
            _adopted(each),
            each["comment_count"],
            each["title"],
        )
        for each in found
    ]
    headers = ("CREATED", "STATE", "REF", "BY", "ADOPTED BY", "COMMENTS", "TITLE")
    return Shown(found, say.table(headers, rows))


def _who(label: dict[str, str] | None) -> str:
    """`ana`, `source ci`, `endpoint fixer`, or who cannot be told apart: the command line."""
    if label is None:
        return "command line"
    word, name = next(iter(label.items()))
    return name if word == "account" else f"{word} {name}"


def _adopted(thread: dict[str, Any]) -> str | None:
    return _who(thread["adopted_by"]) if thread["adopted_at"] else None


@command.command("show")
@click.argument("thread")
def show(thread: str) -> Shown:
    """One thread whole, by its id or a ref like ticket:acme/rocket#7, with its comments."""
    lib = box.ready()
    found = views.get(lib, Machine(), thread)
    while found["next"]:
        more = views.get(lib, Machine(), thread, after=found["next"])
        found["comments"] += more["comments"]
        found["next"] = more["next"]
    return Shown(found, _whole(found))


def _whole(found: dict[str, Any]) -> str:
    names = ("id", "ref", "title", "kind", "state", "labels")
    head = say.fields(
        [
            *((name, found[name]) for name in names),
            ("owner", say.owner(found["owner"])),
            ("by", f"{_who(found['author'])}, via {found['via']}"),
            ("adopted by", _adopted(found)),
            ("mirror of", found["mirror_of"]),
            ("todos", [f"{each['id']} ({each['state']})" for each in found["todos"]]),
            ("created", say.when(found["created_at"])),
            ("closed", say.when(found["closed_at"])),
        ]
    )
    said = [
        f"{_who(each['author'])}, {say.when(each['created_at'])}, via {each['via']}\n"
        + say.visible(each["body"])
        for each in found["comments"]
    ]
    return say.blocks(head, say.visible(found["body"]), *said)


@command.command("comment")
@click.argument("thread")
@click.option(
    "--body-file",
    type=click.File("rb"),
    required=True,
    help="Read the text from this file; - is standard input.",
)
def comment(thread: str, body_file: Any) -> Shown:
    """Comment on a thread."""
    made = comments.add(box.ready(), Machine(), thread, _text(body_file), via=VIA)
    return Shown(made, f"Commented: {made['id']}.")


@command.command("adopt")
@click.argument("thread")
def adopt(thread: str) -> Shown:
    """Take a ticket off the list of those nobody cares for."""
    return _now(states.adopt(box.ready(), Machine(), thread), "is adopted")


@command.command("close")
@click.argument("thread")
def close(thread: str) -> Shown:
    """Close a thread."""
    return _now(states.close(box.ready(), Machine(), thread), "is closed")


@command.command("reopen")
@click.argument("thread")
def reopen(thread: str) -> Shown:
    """Open a closed thread again."""
    return _now(states.reopen(box.ready(), Machine(), thread), "is open again")


def _now(found: dict[str, Any], state: str) -> Shown:
    return Shown(found, f"{found['ref']} {state}.")
