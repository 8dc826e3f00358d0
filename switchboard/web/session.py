"""Who is looking: the session cookie, the guard in front of every page, and where to go next."""

from __future__ import annotations

from io import BytesIO
from typing import cast
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, g, redirect, request, session, url_for
from flask_wtf.csrf import CSRFError, CSRFProtect

from switchboard.access import accounts, login
from switchboard.access.principals import Operator
from switchboard.errors import Forbidden, Invalid, Unavailable
from switchboard.lib import bodies
from switchboard.lib.deadlines import ReadDeadlines
from switchboard.web.blueprint import pages, plumbing

OPEN_TO_ALL = {"pages.setup", "pages.sign_in"}
FORM_BYTES = 128 * 1024
csrf = CSRFProtect()


def register(app: Flask) -> None:
    """Keep CSRF tokens; only the pages check them, JSON routes have bearers."""
    csrf.init_app(app)


@pages.before_request
def _guard() -> Response | None:
    """Only the signed-in pass, and of forms only those that came from our pages."""
    _take_form()
    _no_nul()
    g.operator = login.of_cookie(plumbing(), session)
    if g.operator is None and request.endpoint not in OPEN_TO_ALL:
        return _to_the_door()
    try:
        csrf.protect()
    except CSRFError:
        raise Forbidden(
            "This form did not come from a page of this session. Go back, reload and send it again."
        ) from None
    return None


def _take_form() -> None:
    """Read what was sent, bounded and in time, before anything parses it: strangers send too."""
    deadlines = cast(ReadDeadlines, current_app.extensions["switchboard.deadlines"])
    raw = bodies.read(request, FORM_BYTES, deadlines)
    request.environ.pop("HTTP_TRANSFER_ENCODING", None)
    request.environ |= {"wsgi.input": BytesIO(raw), "CONTENT_LENGTH": str(len(raw))}


def _no_nul() -> None:
    # no database takes it, and nothing a human types has it
    if any("\x00" in text for text in (request.path, *request.values.values())):
        raise Invalid("What was sent has a NUL character in it.")


def peek() -> Operator | None:
    """Who is looking at an error page, if that can be told."""
    try:
        return login.of_cookie(plumbing(), session)
    except Unavailable:
        return None


def _to_the_door() -> Response:
    if not accounts.exist(plumbing()):
        return cast(Response, redirect(url_for("pages.setup")))
    wanted = request.full_path.rstrip("?") if request.method == "GET" else None
    kept = None if wanted in (None, "/") else wanted
    return cast(Response, redirect(url_for("pages.sign_in", next=kept)))


def operator() -> Operator:
    """The human on this page; the guard has let nobody else through."""
    return cast(Operator, g.operator)


def begin(account_id: str, epoch: int) -> None:
    """Start a session of its own: nothing of the one before lives on in it."""
    session.clear()
    session.permanent = True
    session["account"], session["epoch"] = account_id, epoch


def end() -> None:
    """Forget who is looking, here and wherever a copy of the cookie is."""
    login.end_sessions(plumbing(), operator().account_id)
    session.clear()


def safe_next(wanted: str | None) -> str:
    """`wanted` if it is a path of ours, else the home page."""
    if not wanted or not wanted.startswith("/") or wanted.startswith("//"):
        return url_for("pages.home")
    # a browser reads a backslash as a slash and skips control characters
    if "\\" in wanted or not wanted.isprintable():
        return url_for("pages.home")
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return url_for("pages.home")
    return url_for("pages.home") if parts.scheme or parts.netloc else wanted
