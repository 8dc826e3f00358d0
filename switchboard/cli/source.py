"""`source`: who may write in."""

from __future__ import annotations

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say, source_rules
from switchboard.cli.verbs import Noun, Shown
from switchboard.inbound import source_changes, source_views, sources


@click.group("source", cls=Noun)
def command() -> None:
    """Who may write in: webhooks and their secrets."""


@command.command("add")
@click.argument("kind")
@given.owner
@click.option("--name", required=True, help="What to call it, unique with its owner.")
@click.option("--host", default="", metavar="URL", help="Host it speaks for, if not the usual one.")
@click.option("--repos", multiple=True, metavar="GLOB", help="Only these repositories; repeatable.")
@click.option("--letters", help="Its letters; without it those usual for its kind.")
@click.option("--repo", metavar="R", help="The repo under which a signed source files.")
@click.option("--todo-on-red", is_flag=True, help="A failed check of a signed source opens a todo.")
@given.secret_stdin
@click.option(
    "--to",
    multiple=True,
    metavar="ENDPOINT[:QUEUE]",
    help="Who gets the work; repeatable. Without it: the owner's only endpoint.",
)
def add(
    *,
    kind: str,
    owner: str,
    name: str,
    host: str,
    repos: tuple[str, ...],
    letters: str | None,
    repo: str | None,
    todo_on_red: bool,
    secret_stdin: bool,
    to: tuple[str, ...],
) -> Shown:
    """Add a source and print its ingest URL, its secret once, and the provider's steps."""
    lib = box.ready()
    secret = given.read_secret("Secret") if secret_stdin else None
    new = sources.NewSource(kind, name, owner, host, repos, letters, secret, to, repo, todo_on_red)
    added = sources.add(lib, Machine(), new)
    source = added.source
    head = say.fields(
        [
            ("id", source["id"]),
            *([("host", source["host"])] if source["host"] else []),
            *([("repo", source["repo"])] if source["repo"] else []),
            *([("repositories", source["repos"])] if source["repos"] else []),
            ("letters", source["letters"]),
            ("work goes to", source["to"] or "nobody yet"),
            ("ingest URL", source["ingest_url"]),
        ]
    )
    idle = "" if source["to"] else _NO_TARGET.format(owner=owner, source=source["id"])
    return Shown(
        source | {"secret": added.secret},
        say.blocks(
            f"Source {source['name']} is there.",
            head,
            _secret_text(added.secret),
            f"At the provider:\n{say.steps(source['steps'])}",
            idle,
        ),
    )


_NO_TARGET = (
    "Until an endpoint takes its work, its deliveries are refused with no_target. {owner} has none "
    "or several; give it one: python -m switchboard source to {source} ENDPOINT."
)


def _secret_text(secret: str | None) -> str:
    if secret is None:
        return "It has no secret: whoever knows its address may post to it, and is never answered."
    return f"The secret, shown this once (it is kept sealed):\n\n  {secret}"


@command.command("list")
def show_all() -> Shown:
    """All sources with their ingest URLs; revoked ones are gone."""
    found = source_views.in_view(box.ready(), Machine())
    if not found:
        hint = "python -m switchboard source add github --owner NAME --name NAME"
        return Shown([], f"No sources yet. Add one: {hint}")
    rows = [
        (s["name"], s["kind"], say.owner(s["owner"]), s["state"], s["letters"], s["to"], s["id"])
        for s in found
    ]
    headers = ("NAME", "KIND", "OWNER", "STATE", "LETTERS", "TO", "ID")
    urls = [(s["name"], s["ingest_url"] or "sealed with a key that is not set") for s in found]
    return Shown(found, say.blocks(say.table(headers, rows), f"Ingest URLs\n{say.fields(urls)}"))


@command.command("rotate")
@click.argument("source")
@given.secret_stdin
def rotate(source: str, secret_stdin: bool) -> Shown:
    """Give a source a new secret, printed once.

    The old one stays good for SWITCHBOARD_ROTATION_OVERLAP_SECONDS, an hour unless set otherwise.
    """
    lib = box.ready()
    secret = given.read_secret("Secret") if secret_stdin else None
    rotated = source_changes.rotate(lib, Machine(), source, secret)
    overlap = lib.settings["ROTATION_OVERLAP_SECONDS"]
    old = f"is good for {say.span(overlap)} more" if overlap else "is no longer good"
    text = f"Source {rotated.source['name']} has a new secret; the old one {old}."
    data = rotated.source | {"secret": rotated.secret}
    return Shown(data, say.blocks(text, _secret_text(rotated.secret)))


@command.command("pause")
@click.argument("source")
def pause(source: str) -> Shown:
    """Refuse a source's deliveries until it is resumed."""
    return _set_state(source, "paused", "is paused: its deliveries are answered 423")


@command.command("resume")
@click.argument("source")
def resume(source: str) -> Shown:
    """Take a paused source's deliveries again."""
    return _set_state(source, "active", "is active")


@command.command("revoke")
@click.argument("source")
def revoke(source: str) -> Shown:
    """End a source for good: its ingest URL answers 404."""
    return _set_state(source, "revoked", "is revoked: its ingest URL answers 404")


def _set_state(source: str, state: str, said: str) -> Shown:
    done = source_changes.set_state(box.ready(), Machine(), source, state)
    return Shown(done, f"Source {done['name']} {said}.")


@command.command("to")
@click.argument("source")
@click.argument("targets", nargs=-1, metavar="ENDPOINT[:QUEUE]…")
def set_targets(source: str, targets: tuple[str, ...]) -> Shown:
    """Replace the endpoints that take a source's work (none: nobody takes it)."""
    done = source_changes.edit(box.ready(), Machine(), source, {"to": list(targets)})
    return Shown(
        done, f"Source {done['name']} gives its work to: {', '.join(done['to']) or 'nobody'}"
    )


@command.command("letters")
@click.argument("source")
@click.argument("letters")
def set_letters(source: str, letters: str) -> Shown:
    """Replace a source's capability letters ('' for none)."""
    done = source_changes.edit(box.ready(), Machine(), source, {"letters": letters})
    return Shown(done, f"Source {done['name']} has the letters: {done['letters'] or 'none'}")


command.add_command(source_rules.rules)
command.add_command(source_rules.test)
