"""Building the application: settings, plumbing, doors, error handlers - nothing else."""

from __future__ import annotations

from datetime import timedelta

from flask import Flask, Request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from werkzeug.middleware.proxy_fix import ProxyFix

from switchboard import api, mcp, web
from switchboard.api import cookie, problems
from switchboard.config import ROOT, Settings, load_settings
from switchboard.lib.deadlines import ReadDeadlines
from switchboard.lib.plumbing import Plumbing
from switchboard.replies.accept import Waiting

SESSION_LIFETIME = timedelta(days=14)


class PageSessions(SecureCookieSessionInterface):
    """Flask's sessions, for pages and for JSON calls that say they are a page's; others stay unread."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """The session of the request's cookie; none on a JSON route but for a page's own call."""
        if problems.wants_json() and not (request.path.startswith("/api/v1/") and cookie.is_used()):
            return None
        return super().open_session(app, request)


def build(settings: Settings | None = None) -> Flask:
    """The application for `settings` (default: those of the environment)."""
    settings = settings or load_settings()[0]
    return fit(doors(), settings)


def doors() -> Flask:
    """The application without settings or plumbing: all its routes, pages and error handlers."""
    app = Flask("switchboard", root_path=str(ROOT), template_folder="templates")
    app.config.update(
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
    )
    app.session_interface = PageSessions()
    api.register(app)
    mcp.register(app)
    web.register(app, problems.wants_json)
    return app


def fit(app: Flask, settings: Settings) -> Flask:
    """Give the doors what they work with: settings, plumbing, the process's limits."""
    app.config.update(
        SECRET_KEY=settings["SECRET_KEY"],
        SESSION_COOKIE_SECURE=settings.base_url.startswith("https://"),
    )
    lib = app.extensions["switchboard"] = Plumbing(settings)
    app.extensions["switchboard.waiting"] = Waiting(settings["WEB_THREADS"])
    app.extensions["switchboard.deadlines"] = ReadDeadlines(settings["BODY_SECONDS"])
    app.extensions["switchboard.mcp"] = mcp.bridge_for(lib)
    if hops := settings["PROXY_HOPS"]:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops
        )
    return app
