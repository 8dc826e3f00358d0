"""The delivery log: the whole of it with filters in the URL, one delivery, its quiet tail."""

from __future__ import annotations

from flask import Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.errors import Invalid
from switchboard.inbound import curl, replay
from switchboard.inbound import deliveries as log_book
from switchboard.providers import source_kinds
from switchboard.providers.email import Email
from switchboard.web import log
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.forms import query
from switchboard.web.session import operator
from switchboard.web.shelves import all_sources

STATUSES = ("accepted", "refused", "failed")
CODES = (
    "accepted",
    "self_reply",
    "rule",
    "bad_signature",
    "missing_signature",
    "stale_timestamp",
    "missing_capability",
    "unknown_source",
    "incomplete_body",
    "delivery_conflict",
    "too_large",
    "unsupported_encoding",
    "unmappable",
    "invalid_json",
    "missing_delivery_id",
    "no_target",
    "mirror_read_only",
    "auto_reply",
    "empty_reply",
    "expired_token",
    "revoked_token",
    "sender_mismatch",
    "unreadable",
    "late_answer",
    "session_paused",
    "session_ended",
    "not_relayed",
    "other_event",
    "came_before",
    "source_paused",
    "rate_limited",
    "storage_unavailable",
    "encryption_required",
)


@pages.get("/deliveries")
def deliveries() -> ResponseReturnValue:
    """The log, newest first."""
    if any(value == "" for value in request.args.values()):
        # a form names what it leaves out
        return redirect(url_for("pages.deliveries", **query((*log_book.FILTERS, "after"))))
    filters = query(log_book.FILTERS)
    wrong = None
    try:
        shown = log.panel(filters, after=request.args.get("after"), lines=log.WHOLE)
    except Invalid as problem:
        shown, wrong = log.Panel([], filters, named=filters), problem.detail
    page = render_template(
        "deliveries.html",
        panel=shown,
        wrong=wrong,
        filters=filters,
        statuses=STATUSES,
        codes=CODES,
        kinds=[*source_kinds(plumbing().settings), "email"],
        sources=sorted({each["name"] for each in all_sources()}),
    )
    return page, 422 if wrong else 200


@pages.get("/deliveries/log")
def log_fragment() -> ResponseReturnValue:
    """The panel alone, for the script that keeps a page's log up to date."""
    lines = request.args.get("lines", default=log.BESIDE, type=int)
    shown = log.panel(query(log_book.FILTERS), lines=max(1, min(lines, log.WHOLE)))
    return render_template("_log.html", panel=shown), 503 if shown.broken else 200


@pages.get("/deliveries/<delivery_id>")
def delivery(delivery_id: str) -> ResponseReturnValue:
    """One delivery: what it was, what became of it, and why."""
    row = log_book.whole(plumbing(), operator(), delivery_id)
    # a mail's bytes are not kept, so nothing of it could be sent through again
    replayable = row["kind"] != Email.kind and _configures(row["source_id"])
    return render_template("delivery.html", row=row, word=log.word_of(row), replayable=replayable)


def _configures(source_id: str | None) -> bool:
    return any(each["id"] == source_id and each["configurable"] for each in all_sources())


@pages.post("/deliveries/<delivery_id>/replay")
def replay_delivery(delivery_id: str) -> ResponseReturnValue:
    """Send a delivery's body through again, and show what became of it."""
    made = replay.replay(plumbing(), operator(), delivery_id)
    flash("This is the replay.")
    return redirect(url_for("pages.delivery", delivery_id=made["id"]))


@pages.get("/deliveries/<delivery_id>/replay")
def replay_address(delivery_id: str) -> ResponseReturnValue:
    """Where that address leads when it is opened by hand."""
    return redirect(url_for("pages.delivery", delivery_id=delivery_id))


@pages.get("/deliveries/<delivery_id>/inside")
def delivery_inside(delivery_id: str) -> ResponseReturnValue:
    """Headers and body alone, for a row of the log that is opened."""
    row = log_book.whole(plumbing(), operator(), delivery_id)
    return render_template("_inside.html", row=row)


@pages.get("/deliveries/<delivery_id>/curl")
def delivery_curl(delivery_id: str) -> ResponseReturnValue:
    """The delivery as a curl command, plain text."""
    command = curl.as_curl(plumbing(), operator(), delivery_id)
    return Response(command + "\n", mimetype="text/plain")
