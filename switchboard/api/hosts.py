"""Under which names we answer: a page that leads its own name to our address (DNS rebinding) gets nothing.

It could otherwise call us from its visitor's browser as if we were its own site. A name it can choose
is all it has: an address in figures or `localhost` leads nowhere but where it says, so these are always
ours. That keeps health checks by a container's address working.
"""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from flask import request

from switchboard.api.context import plumbing
from switchboard.errors import Misdirected

# Here nothing is believed but a signature or a bearer, which no rebinding page has, and what a sender
# got wrong must be on the record.
_PROVEN = ("/hooks/", "/api/v1/r/", "/mcp/")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]/@\s]+)(:[0-9]*)?", re.ASCII)


def refuse_foreign() -> None:
    """Raise Misdirected unless the request names us as we are called; one without a name is let in."""
    given = request.headers.get("Host")
    if not given or request.path.startswith(_PROVEN) or _is_ours(given):
        return
    raise Misdirected(
        "This is not called so. Use the address of SWITCHBOARD_BASE_URL; "
        "further names are the matter of SWITCHBOARD_HOST_NAMES.",
        field="Host",
    )


def _is_ours(given: str) -> bool:
    parts = _HOST.fullmatch(given)
    if parts is None:
        return False
    name = parts[1].strip("[]").lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost") or _is_address(name):
        return True
    settings = plumbing().settings
    return name in settings["HOST_NAMES"] or name == urlsplit(settings.base_url).hostname


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
