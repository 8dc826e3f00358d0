"""The event log: what was done, by whom and to what."""

from __future__ import annotations

from typing import Any

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.access import audit
from switchboard.events.catalogue import TYPES
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.forms import query
from switchboard.web.session import operator

FILTERS = ("type", "about", "ref")


@pages.get("/events")
def events() -> ResponseReturnValue:
    """All that the operator may read, by type, by what it was done to and by work item."""
    given = query((*FILTERS, "after"))
    if any(value == "" for value in request.args.values()):
        return redirect(url_for("pages.events", **given))  # a form names what it leaves out
    wanted: dict[str, Any] = query(FILTERS)
    page = audit.in_view(plumbing(), operator(), **wanted, after=given.get("after"))
    return render_template(
        "events.html",
        events=page.events,
        older=url_for("pages.events", **wanted, after=page.next) if page.next else None,
        after=given.get("after"),
        filters=wanted,
        types=TYPES,
    )
