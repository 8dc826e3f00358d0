"""`session`: agents at work on this machine, and where their answers go."""

from __future__ import annotations

import os
from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.sessions import registry
from switchboard.sessions.tmux import Pane, alive


@click.group("session", cls=Noun)
def command() -> None:
    """Agents at work, and where their answers go."""


@command.command("register")
@click.argument("ref")
@click.option(
    "--transport",
    type=click.Choice(["tmux", "mailbox"]),
    default="tmux",
    show_default=True,
    help="How it is reached: in a pane, or by an endpoint that collects.",
)
@click.option("--endpoint", metavar="NAME", help="Whose mailbox it is.")
@click.option(
    "--target", metavar="PANE", help="session:window.pane, or an id; left out in tmux: this pane."
)
@click.option(
    "--socket", metavar="PATH", help="The tmux server's socket, where it is not the usual one."
)
@click.option("--owner", metavar="NAME", help="Account or team that answers, if there are several.")
def register(
    *,
    ref: str,
    transport: str,
    endpoint: str | None,
    target: str | None,
    socket: str | None,
    owner: str | None,
) -> Shown:
    """Say that an agent works on a work item, and where its answers go."""
    if transport == "mailbox":
        if target or socket or owner:
            raise click.UsageError(
                "A mailbox is its endpoint's; it has no pane and no other owner."
            )
        return _mailbox(ref, endpoint)
    if endpoint:
        raise click.UsageError("Only a mailbox has an endpoint: give --transport mailbox.")
    return _in_pane(ref, _pane(target, socket), owner)


def _mailbox(ref: str, endpoint: str | None) -> Shown:
    if endpoint is None:
        raise click.UsageError("Give --endpoint, whose mailbox it is.")
    made = registry.register_mailbox_of(box.ready(), Machine(), ref, endpoint)
    return Shown(made, f"Answers on {made['ref']} wait for the {_where(made)}, {made['id']}.")


def _in_pane(ref: str, pane: Pane, owner: str | None) -> Shown:
    new = registry.NewPane(ref, pane.target, pane.socket, owner=owner)
    made = registry.register_pane(box.ready(), Machine(), new)
    if not alive(pane):
        click.echo(f"note: no agent runs in the pane {pane.target} now.", err=True)
    return Shown(made, f"Answers on {made['ref']} go to the pane {_where(made)}, {made['id']}.")


def _pane(target: str | None, socket: str | None) -> Pane:
    """The pane meant. Inside tmux that is, unless said otherwise, this one of this server."""
    inside = os.environ.get("TMUX", "").partition(",")[0] or None
    if target is None:
        target = os.environ.get("TMUX_PANE")
    if not target:
        raise click.UsageError(
            "Give --target, such as work:0.1; only inside tmux it may be left out."
        )
    return Pane(target, socket or inside)


@command.command("list")
@click.option("--ref", metavar="REF", help="Only of this work item.")
@click.option("--state", type=click.Choice(registry.STATES), help="Only in this state.")
@given.limit()
def show_all(ref: str | None, state: str | None, limit: int) -> Shown:
    """Sessions, newest first."""
    lib = box.ready()

    def page(after: str | None, size: int) -> tuple[list[dict[str, Any]], str | None]:
        found = registry.in_view(lib, Machine(), ref=ref, state=state, after=after, limit=size)
        return found.sessions, found.next

    found = given.newest(limit, page)
    if not found:
        hint = "python -m switchboard session register REF --target work:0.1"
        return Shown(
            [], "No session matches." if ref or state else f"No sessions yet. Add one: {hint}"
        )
    rows = [
        (
            each["ref"],
            each["state"],
            each["transport"],
            _where(each),
            say.owner(each["owner"]),
            say.when(each["last_seen_at"]),
            each["id"],
        )
        for each in found
    ]
    headers = ("REF", "STATE", "TRANSPORT", "WHERE", "OWNER", "LAST SEEN", "ID")
    return Shown(found, say.table(headers, rows))


def _where(session: dict[str, Any]) -> str:
    """The pane, with its server's socket unless that is the usual one; else the mailbox's endpoint."""
    if session["transport"] == "mailbox":
        return f"endpoint {session['endpoint']}"
    socket = session["socket"]
    return f"{session['target']} at {socket}" if socket else str(session["target"])


@command.command("pause")
@click.argument("session")
def pause(session: str) -> Shown:
    """Let no answer through to a session, named by its id or work item, for now."""
    return _now(registry.pause(box.ready(), Machine(), session), "is paused: no answer reaches it")


@command.command("resume")
@click.argument("session")
def resume(session: str) -> Shown:
    """Let answers through again."""
    return _now(registry.resume(box.ready(), Machine(), session), "takes answers again")


@command.command("end")
@click.argument("session")
def end(session: str) -> Shown:
    """End a session for good; its agent can register anew."""
    return _now(registry.end(box.ready(), Machine(), session), "has ended")


def _now(session: dict[str, Any], state: str) -> Shown:
    return Shown(session, f"The session {session['id']} on {session['ref']} {state}.")
