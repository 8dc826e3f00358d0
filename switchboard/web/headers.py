"""What every page tells the browser: nothing from elsewhere, no framing, no keeping."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask, Response, g

POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
JSON_POLICY = "default-src 'none'; frame-ancestors 'none'"


def let_forms_lead_to(origin: str) -> None:
    """Allow the forms of the page being made to be answered with a redirect to one origin elsewhere."""
    g.form_origin = origin


def register(app: Flask, answers_json: Callable[[], bool]) -> None:
    """Put the headers on every answer; a JSON route's is no page, so its policy allows nothing at all."""

    def protect(response: Response) -> Response:
        response.headers["X-Content-Type-Options"] = "nosniff"
        if answers_json():
            response.headers["Content-Security-Policy"] = JSON_POLICY
            return response
        elsewhere = g.get("form_origin")
        policy = POLICY
        if elsewhere:
            policy = policy.replace("form-action 'self'", f"form-action 'self' {elsewhere}")
        response.headers["Content-Security-Policy"] = policy
        # same-origin rather than none: over HTTPS the CSRF check reads the referrer
        response.headers["Referrer-Policy"] = "same-origin"
        if "Cache-Control" not in response.headers:
            response.headers["Cache-Control"] = "no-store"
        return response

    app.after_request(protect)
