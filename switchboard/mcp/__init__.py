"""The MCP door: `POST /mcp/<slug>`, the tools an endpoint was granted, over streamable HTTP;
and OAuth for clients that insist on it.

Importing this package loads nothing of the SDK, which costs tens of megabytes: the first call of a
process does (`bridge.py`).
"""

from __future__ import annotations

from flask import Flask

from switchboard.lib.plumbing import Plumbing
from switchboard.mcp import door, oauth_door
from switchboard.mcp.bridge import Bridge


def register(app: Flask) -> None:
    """Attach the routes."""
    app.register_blueprint(door.bp)
    app.register_blueprint(oauth_door.bp)


def bridge_for(lib: Plumbing) -> Bridge:
    """What is behind the routes; it starts on first use, so after a fork."""
    return Bridge(lib, door.BODY_BYTES)
