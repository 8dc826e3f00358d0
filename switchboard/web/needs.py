"""What needs a human, gathered from what the verticals know; and the first steps not yet taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flask import url_for

from switchboard.access import endpoints
from switchboard.faults import book as faults
from switchboard.inbound import deliveries
from switchboard.inbound.fault_codes import PAUSED
from switchboard.lib import clock
from switchboard.lib.paging import MAX_LIMIT
from switchboard.replies import summary
from switchboard.sinks import sinks
from switchboard.sinks.fault_codes import FAILING
from switchboard.threads import attention as thread_attention
from switchboard.todos import attention
from switchboard.vault import connections
from switchboard.web import shelves
from switchboard.web.blueprint import plumbing
from switchboard.web.session import operator

REFUSED_IN_A_ROW = 3
WORDS = {PAUSED: "paused", FAILING: "fails"}  # of the faults that are no refusals
LOOKED_AT = 10  # newest deliveries of a source


@dataclass(frozen=True)
class Need:
    """One thing to look at: its state's word, what it is, why, where to mend it, since when."""

    word: str
    what: str
    why: str
    link: str
    since: str | None = None


@dataclass(frozen=True)
class Step:
    """One of the first steps."""

    done: bool
    what: str
    why: str
    link: str


def gather() -> list[Need]:
    """Everything that needs the operator, the broken before the waiting."""
    standing, sources = _standing(), shelves.all_sources()
    found = [
        *_vault(),
        *_faults(standing, sources),
        *_dead_letters(),
        *_replies(),
        *_connections(),
        *_sources(standing, sources),
        *_tickets(),
    ]
    rank = {"failed": 0, "dead letter": 0, "fails": 0, "unknown": 1}
    return sorted(found, key=lambda need: rank.get(need.word, 2))


def _vault() -> Iterator[Need]:
    if plumbing().settings["ENCRYPTION_KEY"] is None:
        yield Need(
            "failed",
            "No encryption key is set",
            "No secret can be stored or opened (encryption_required). "
            "Set SWITCHBOARD_ENCRYPTION_KEY and restart.",
            url_for("pages.connections"),
        )


def _dead_letters() -> Iterator[Need]:
    for todo in attention.dead_letters(plumbing(), operator()):
        yield Need(
            "dead letter",
            todo["title"],
            f"Given up after {todo['failures']} failed attempts: {todo['last_failure']}.",
            url_for("pages.todo", todo_id=todo["id"]),
            todo["dead_lettered_at"],
        )


def _replies() -> Iterator[Need]:
    why = {
        "failed": "The reply was not posted",
        "unknown": "Nobody can tell whether the reply was posted; look there before you answer again",
    }
    for reply in summary.troubled(plumbing(), operator()):
        cause = " ".join(part for part in (reply["error_class"], reply["error_code"]) if part)
        yield Need(
            reply["state"],
            f"Reply to {reply['display']}",
            f"{why[reply['state']]} ({cause}).",
            url_for("pages.todo", todo_id=reply["todo"]),
            reply["finished_at"],
        )


def _tickets() -> Iterator[Need]:
    for ticket in thread_attention.unadopted(plumbing(), operator()):
        yield Need(
            "unadopted",
            ticket["title"],
            f"{ticket['ref']} was opened over a day ago and nobody has adopted it.",
            url_for("pages.thread", thread_id=ticket["id"]),
            ticket["created_at"],
        )


def _connections() -> Iterator[Need]:
    for each in connections.in_view(plumbing(), operator()):
        link = url_for("pages.connections", _anchor=each["id"])
        what = f"Connection {each['name']}"
        last = each["last_test"]
        if last and not last["ok"]:
            cause = " ".join(part for part in (last["class"], last["code"]) if part)
            yield Need("fails", what, f"Its last test failed ({cause}).", link, last["at"])
        if closed(each):
            yield Need(
                "closed",
                what,
                f"{each['account_key']} asked us to slow down; replies wait until it opens again.",
                link,
                each["closed_until"],
            )


def closed(connection: dict[str, Any]) -> bool:
    """Whether a provider's request to slow down still holds."""
    until = connection["closed_until"]
    return until is not None and datetime.fromisoformat(until) > clock.now()


def _faults(standing: list[dict[str, Any]], sources: list[dict[str, Any]]) -> Iterator[Need]:
    """What stands; an admin also sees what is about others' things, whose pages he cannot open."""
    links = {each["id"]: url_for("pages.source", source_id=each["id"]) for each in sources}
    if any(fault["code"] == FAILING for fault in standing):
        every = sinks.in_view(plumbing(), operator())
        links |= {each["id"]: url_for("pages.sinks", _anchor=each["id"]) for each in every}
    for fault in standing:
        link = links.get(fault["about_id"])
        owner = "" if link else f" of {' '.join((fault['owner'] or {}).values())}"
        yield Need(
            WORDS.get(fault["code"], "refused"),
            fault["about"] + owner,
            fault["detail"],
            link or url_for("pages.home"),
            fault["raised_at"],
        )


def _standing() -> list[dict[str, Any]]:
    return faults.in_view(plumbing(), operator(), state="standing", limit=MAX_LIMIT).faults


def _sources(standing: list[dict[str, Any]], sources: list[dict[str, Any]]) -> Iterator[Need]:
    live, faulty = shelves.live_endpoints(), {fault["about_id"] for fault in standing}
    for source in sources:
        if source["id"] in faulty:
            continue  # its fault says it
        link = url_for("pages.source", source_id=source["id"])
        what = f"Source {source['name']}"
        if source["state"] == "paused":
            yield Need("paused", what, "It takes nothing until somebody resumes it.", link)
        if shelves.without_target(source, live):
            why = "It has no live endpoint to give work to, so deliveries are refused (no_target)."
            yield Need("refused", what, why, link)
        elif refusals := _refused_in_a_row(source["id"]):
            newest = refusals[0]
            count = sum(row["count"] for row in refusals)
            many = f"{count}" if len(refusals) < LOOKED_AT else f"{count} or more"
            why = f"The last {many} deliveries were refused: {newest['reason']}"
            yield Need("refused", what, why, link, newest["received_at"])


def _refused_in_a_row(source_id: str) -> list[dict[str, Any]]:
    page = deliveries.search(plumbing(), operator(), {"source": source_id}, limit=LOOKED_AT)
    run = []
    for row in page.deliveries:
        if row["status"] == "accepted":
            break
        run.append(row)
    return run if len(run) >= REFUSED_IN_A_ROW else []


def first_steps() -> list[Step]:
    """The way from an empty instance to a first answer, ticked as it goes; empty once walked."""
    lib, mine = plumbing(), operator()
    steps = [
        Step(
            bool(endpoints.in_view(lib, mine)),
            "Vend an endpoint",
            "the credential an agent works with",
            url_for("pages.endpoints"),
        ),
        Step(
            bool(shelves.all_sources()),
            "Add a source",
            "who may write in, such as a GitHub webhook",
            url_for("pages.sources"),
        ),
        Step(
            bool(connections.in_view(lib, mine)),
            "Add a connection",
            "the credential answers are posted with",
            url_for("pages.connections"),
        ),
        Step(
            bool(deliveries.search(lib, mine, {"status": "accepted"}, limit=1).deliveries),
            "See the first delivery",
            "it becomes a todo on the endpoint's queue",
            url_for("pages.deliveries"),
        ),
    ]
    return [] if all(step.done for step in steps) else steps
