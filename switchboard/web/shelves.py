"""What an operator has, as several pages need it: endpoints to choose from, source names."""

from __future__ import annotations

from typing import Any

from switchboard.access import endpoints
from switchboard.errors import Conflict
from switchboard.inbound import sources
from switchboard.web.blueprint import plumbing
from switchboard.web.session import operator


def live_endpoints() -> list[dict[str, Any]]:
    """The endpoints in view that still take work."""
    every = endpoints.in_view(plumbing(), operator())
    return [each for each in every if each["state"] == "active"]


def sources_if_readable() -> list[dict[str, Any]] | None:
    """The sources in view; None while their sealed addresses cannot be opened."""
    try:
        return sources.in_view(plumbing(), operator())
    except Conflict:  # encryption_required: the page says so where it matters
        return None


def source_names() -> list[str]:
    """The names of the sources in view, for a filter."""
    return sorted({each["name"] for each in sources_if_readable() or []})


def without_target(source: dict[str, Any], live: list[dict[str, Any]]) -> bool:
    """Whether none of a source's targets is an endpoint that still takes work."""
    alive = {each["name"] for each in live if each["owner"] == source["owner"]}
    return not any(target.partition(":")[0] in alive for target in source["to"])
