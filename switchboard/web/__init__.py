"""The pages: parse, call one vertical, render. Signed in by a cookie, every form with CSRF."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask

from switchboard.web import assets, errors, filters, headers, session
from switchboard.web.routes import pages


def register(app: Flask, answers_json: Callable[[], bool]) -> None:
    """Attach the pages. `answers_json` says whether the current request is to a JSON route."""
    # a form may stay open as long as its session lives
    app.config.update(WTF_CSRF_CHECK_DEFAULT=False, WTF_CSRF_TIME_LIMIT=None)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    session.register(app)
    filters.register(app)
    assets.register(app)
    app.register_blueprint(pages)
    # run in reverse order: first the page is made, then it gets its headers
    headers.register(app, answers_json)
    errors.register(app, answers_json)
