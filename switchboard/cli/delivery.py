"""`delivery`: the log of everything that came in."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from switchboard.access.principals import Machine
from switchboard.cli import box, given, say
from switchboard.cli.verbs import Noun, Shown
from switchboard.inbound import deliveries, replay
from switchboard.inbound.curl import as_curl


@click.group("delivery", cls=Noun)
def command() -> None:
    """The log of everything that came in, refusals too."""


@command.command("list")
@click.option("--source", help="Only of the source with this name or id.")
@click.option(
    "--status", type=click.Choice(("accepted", "refused", "failed")), help="Only with this status."
)
@click.option("--code", help="Only with this code, such as bad_signature.")
@click.option(
    "--since", type=given.Moment(), metavar="TIME", help="Only from then on: 2h, 7d, 2026-07-01."
)
@given.limit()
def show_all(
    source: str | None, status: str | None, code: str | None, since: datetime | None, limit: int
) -> Shown:
    """The log, newest first."""
    lib = box.ready()
    wanted = {"source": source or "", "status": status or "", "code": code or ""}

    def page(after: str | None, size: int) -> tuple[list[dict[str, Any]], str | None]:
        found = deliveries.search(lib, Machine(), wanted, since=since, after=after, limit=size)
        return found.deliveries, found.next

    found = given.newest(limit, page)
    if not found:
        any_filter = any(wanted.values()) or since
        return Shown([], "No delivery matches." if any_filter else _NOTHING)
    rows = [
        (
            say.when(d["received_at"]),
            d["source"],
            d["event_type"],
            f"{d['status']} {d['http_status']}",
            d["code"],
            d["subject"],
            d["id"],
        )
        for d in found
    ]
    headers = ("RECEIVED", "SOURCE", "EVENT", "STATUS", "CODE", "SUBJECT", "ID")
    return Shown(found, say.table(headers, rows))


_NOTHING = (
    "Nothing came in yet. Add a source (python -m switchboard source add --help) "
    "and follow the provider's steps."
)


@command.command("show")
@click.argument("delivery")
@click.option("--curl", is_flag=True, help="Print it as a curl command that sends it again.")
def show(delivery: str, curl: bool) -> Shown:
    """One delivery whole: what became of it and why, its headers, its body."""
    lib = box.ready()
    if curl:
        again = as_curl(lib, Machine(), delivery)
        return Shown({"curl": again}, say.for_paste(again))
    found = deliveries.whole(lib, Machine(), delivery)
    return Shown(found, _whole(found))


@command.command("replay")
@click.argument("delivery")
def again(delivery: str) -> Shown:
    """Send one through again, past the dedupe and under what its source is set to now."""
    new = replay.replay(box.ready(), Machine(), delivery)
    accepted = new["status"] == "accepted"
    said = f"Replayed as {new['id']}: {new['status']} {new['http_status']} {new['code']}."
    return Shown(new, f"{said}\n{new['reason']}", accepted)


def _whole(found: dict[str, Any]) -> str:
    names = ("id", "source", "kind", "event_type", "subject", "delivery_id", "code", "reason")
    more = ("attempt", "count", "duration_ms", "bytes", "remote_addr", "verified", "trust")
    made = [todo["id"] for todo in found["outcome"].get("todos", [])]
    head = say.fields(
        [
            ("received", say.when(found["received_at"])),
            ("status", f"{found['status']} {found['http_status']}"),
            *((name.replace("_", " "), found[name]) for name in (*names, *more)),
            ("todos", made),
            ("diagnosis", found["diagnosis"]),
            ("replay of", found["replay_of"]),
        ]
    )
    body = found["body"]
    if body is None:
        shown = f"Body: not kept ({found['body_state']})"
        if found["body_sha256"]:
            shown += f"; SHA-256 {found['body_sha256']}"
    else:
        cut = " (its beginning)" if found["body_state"] == "cut" else ""
        shown = f"Body{cut}\n{say.visible(deliveries.pretty(body))}"
    return say.blocks(
        head, _trace(found), f"Headers\n{say.fields(sorted(found['headers'].items()))}", shown
    )


def _trace(found: dict[str, Any]) -> str:
    """What the rules that were asked said."""
    lines = found["outcome"].get("trace", [])
    rows = [(line["rule"], line["when"], line["result"]) for line in lines]
    return f"Rules\n{say.table(('RULE', 'WHEN', 'RESULT'), rows)}" if rows else ""
