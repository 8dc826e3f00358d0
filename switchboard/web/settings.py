"""`/settings` itself: it has no page, it leads to the first of its three."""

from __future__ import annotations

from flask import redirect, url_for
from flask.typing import ResponseReturnValue

from switchboard.web.blueprint import pages


@pages.get("/settings")
def settings() -> ResponseReturnValue:
    """Lead to the connections."""
    return redirect(url_for("pages.connections"))
