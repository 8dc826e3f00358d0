"""Which sources need a human that no fault is about: their pauses, their refusals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from switchboard.access import endpoints
from switchboard.access.principals import Operator
from switchboard.attention.need import Need
from switchboard.faults import book as faults
from switchboard.inbound import deliveries, source_views
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing

REFUSED_IN_A_ROW = 3
LOOKED_AT = 10  # newest deliveries of a source


def of_sources(lib: Plumbing, operator: Operator) -> Iterator[Need]:
    """The sources in view that no fault is about and that take nothing."""
    standing = faults.in_view(lib, operator, state="standing", limit=MAX_LIMIT).faults
    sources = source_views.in_view(lib, operator)
    live = [each for each in endpoints.in_view(lib, operator) if each["state"] == "active"]
    faulty = {fault["about_id"] for fault in standing}
    for source in sources:
        if source["id"] not in faulty:  # else its fault says it
            yield from _source(lib, operator, source, live)


def _source(
    lib: Plumbing,
    operator: Operator,
    source: Mapping[str, Any],
    live: Sequence[Mapping[str, Any]],
) -> Iterator[Need]:
    ref, title, link = source["id"], f"Source {source['name']}", _page(source["id"])
    if source["state"] == "paused":
        why = "It takes nothing until somebody resumes it."
        yield Need("source-paused", ref, title, why, link)
    if without_target(source, live):
        why = "It has no live endpoint to give work to, so deliveries are refused (no_target)."
        yield Need("source-refuses", ref, title, why, link)
    elif refusals := _refused_in_a_row(lib, operator, ref):
        newest = refusals[0]
        count = sum(row["count"] for row in refusals)
        many = f"{count}" if len(refusals) < LOOKED_AT else f"{count} or more"
        why = f"The last {many} deliveries were refused: {newest['reason']}"
        yield Need("source-refuses", ref, title, why, link, newest["received_at"])


def _refused_in_a_row(lib: Plumbing, operator: Operator, source_id: str) -> list[dict[str, Any]]:
    page = deliveries.search(lib, operator, {"source": source_id}, limit=LOOKED_AT)
    run = []
    for row in page.deliveries:
        if row["status"] == "accepted":
            break
        run.append(row)
    return run if len(run) >= REFUSED_IN_A_ROW else []


def without_target(source: Mapping[str, Any], live: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a source that opens todos has no target among the endpoints that still take work."""
    if "n" not in source["letters"]:
        return False
    alive = {each["name"] for each in live if each["owner"] == source["owner"]}
    return not any(target.partition(":")[0] in alive for target in source["to"])


def _page(source_id: str) -> str:
    return f"/settings/sources/{source_id}"
