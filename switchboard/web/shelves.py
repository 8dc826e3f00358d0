"""What an operator has, as several pages need it: endpoints to choose from, sources."""

from __future__ import annotations

from typing import Any

from switchboard.access import endpoints
from switchboard.inbound import source_views
from switchboard.web.blueprint import plumbing
from switchboard.web.session import operator


def live_endpoints() -> list[dict[str, Any]]:
    """The endpoints in view that still take work."""
    every = endpoints.in_view(plumbing(), operator())
    return [each for each in every if each["state"] == "active"]


def all_sources() -> list[dict[str, Any]]:
    """The sources in view."""
    return source_views.in_view(plumbing(), operator())


def source_name(ref: str) -> str:
    """What a source in view is called; `ref` itself where it is no id of one."""
    return next((each["name"] for each in all_sources() if each["id"] == ref), ref)
