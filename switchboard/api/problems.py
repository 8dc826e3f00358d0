"""Errors as `application/problem+json`, for JSON routes and whatever no page answers."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from switchboard.errors import Problem

log = logging.getLogger(__name__)

_OAUTH = ("/authorize", "/token", "/register", "/revoke")


def wants_json() -> bool:
    """Whether this request is to a JSON route rather than a page."""
    path = request.path
    return path in _OAUTH or path.startswith(
        ("/api/", "/hooks/", "/mcp/", "/healthz", "/readyz", "/.well-known/")
    )


def render(problem: Problem) -> Response:
    """The problem as a response, `Retry-After` included."""
    return respond(problem.status, problem.as_dict(), problem.retry_after)


def respond(status: int, body: Mapping[str, Any], retry_after: int | None = None) -> Response:
    """A JSON answer, a problem from 400 on; `retry_after` is in seconds."""
    kind = "application/problem+json" if status >= 400 else "application/json"
    response = Response(json.dumps(body, sort_keys=True), status, mimetype=kind)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    if status == 401 and request.path.startswith("/api/") and body.get("code") == "unauthenticated":
        response.headers["WWW-Authenticate"] = "Bearer"  # RFC 9110 section 15.5.2
    return response


def render_http(error: HTTPException) -> Response:
    """A routing error (404, 405, …) in the same shape."""
    status = error.code or 500
    phrase = HTTPStatus(status).phrase
    code = phrase.lower().replace(" ", "_").replace("-", "_")
    body = {
        "type": f"urn:switchboard:problem:{code}",
        "title": phrase,
        "status": status,
        "code": code,
        "detail": error.description or phrase,
    }
    response = respond(status, body)
    for name, value in error.get_headers():
        if name.lower() == "allow":
            response.headers[name] = value
    return response


def render_unexpected(_error: Exception) -> Response:
    """A bug: logged whole, told in one sentence."""
    log.exception("unexpected error on %s %s", request.method, request.path)
    return respond(
        500,
        {
            "type": "urn:switchboard:problem:internal",
            "title": Problem.title,
            "status": 500,
            "code": "internal",
            "detail": "Something went wrong here. The log has the details.",
        },
    )


def register(app: Flask) -> None:
    """Answer errors on JSON routes as problems; pages bring their own handlers."""
    app.register_error_handler(Problem, _handle_problem)
    app.register_error_handler(HTTPException, render_http)
    app.register_error_handler(Exception, render_unexpected)


def _handle_problem(problem: Problem) -> Response:
    return render(problem)
