"""A signed-in human's own page calling the JSON routes: its cookie counts only with its CSRF token.

The token is asked for with every method. Without its header the cookie is not even looked at.
"""

from __future__ import annotations

from flask import request, session
from flask_wtf.csrf import ValidationError, validate_csrf

from switchboard.access import login
from switchboard.access.principals import Operator
from switchboard.errors import Unauthenticated
from switchboard.lib.plumbing import Plumbing

CSRF_HEADERS = ("X-CSRFToken", "X-CSRF-Token")  # as Flask-WTF takes them


def is_used() -> bool:
    """Whether this call wants to be its cookie's: the header is there, and no bearer is."""
    return _token() is not None and "Authorization" not in request.headers


def operator(lib: Plumbing) -> Operator:
    """Whose page calls. Raises Unauthenticated unless both cookie and token are good."""
    try:
        validate_csrf(_token())
    except ValidationError:
        who = None
    else:
        who = login.of_cookie(lib, session)
    if who is None:
        raise Unauthenticated(f"Sign in, and send {CSRF_HEADERS[0]} with the token of your page.")
    return who


def _token() -> str | None:
    return next((request.headers[name] for name in CSRF_HEADERS if name in request.headers), None)
