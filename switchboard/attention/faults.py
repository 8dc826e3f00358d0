"""Which standing faults need a human."""

from __future__ import annotations

from collections.abc import Iterator

from switchboard.access import endpoints
from switchboard.access.principals import Operator
from switchboard.attention.need import Need
from switchboard.faults import book
from switchboard.inbound import source_views
from switchboard.inbound.fault_codes import PAUSED
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.notify.health import FAILING

_KINDS = {PAUSED: "source-paused", FAILING: "hook-fails"}


def of_faults(lib: Plumbing, operator: Operator) -> Iterator[Need]:
    """What stands; an admin also sees what is about others' things, whose pages he cannot open."""
    pages = _pages(lib, operator)
    for fault in book.in_view(lib, operator, state="standing", limit=MAX_LIMIT).faults:
        page = pages.get(fault["about_id"])
        owner = "" if page else f" of {' '.join((fault['owner'] or {}).values())}"
        yield Need(
            _KINDS.get(fault["code"], "fault"),
            fault["about_id"],
            fault["about"] + owner,
            fault["detail"],
            page or "/",
            fault["raised_at"],
        )


def _pages(lib: Plumbing, operator: Operator) -> dict[str, str]:
    """Where the things in view are mended that a fault may be about, by id."""
    sources = source_views.in_view(lib, operator)
    pages = {each["id"]: f"/settings/sources/{each['id']}" for each in sources}
    for each in endpoints.in_view(lib, operator):
        pages[each["id"]] = f"/settings/endpoints#{each['id']}"
    return pages
