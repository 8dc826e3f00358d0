"""The MCP door: `POST /mcp/<slug>`, the tools an endpoint was granted, over streamable HTTP.

Importing this package loads nothing of the SDK, which costs tens of megabytes: the first call of a
process does (`bridge.py`).
"""

from __future__ import annotations

from flask import Flask

from switchboard.config import Settings
from switchboard.mcp import door
from switchboard.mcp.bridge import Bridge


def register(app: Flask) -> None:
    """Attach the route."""
    app.register_blueprint(door.bp)


def bridge_for(settings: Settings) -> Bridge:
    """What is behind the route; it starts on first use, so after a fork."""
    return Bridge(settings, door.BODY_BYTES)
