"""Errors as `application/problem+json`, for JSON routes and whatever no page answers."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from switchboard.errors import Problem

log = logging.getLogger(__name__)


def wants_json() -> bool:
    """Whether this request is to a JSON route rather than a page."""
    return request.path.startswith(("/api/", "/hooks/", "/healthz", "/readyz"))


def render(problem: Problem) -> Response:
    """The problem as a response, `Retry-After` included."""
    return _response(problem.as_dict())


def _response(body: dict[str, object]) -> Response:
    status = int(str(body["status"]))
    response = Response(json.dumps(body), status, mimetype="application/problem+json")
    if body.get("retry_after") is not None:
        response.headers["Retry-After"] = str(body["retry_after"])
    if status == 401 and request.path.startswith("/api/"):
        response.headers["WWW-Authenticate"] = "Bearer"  # RFC 9110 section 15.5.2
    return response


def render_http(error: HTTPException) -> Response:
    """A routing error (404, 405, …) in the same shape."""
    status = error.code or 500
    phrase = HTTPStatus(status).phrase
    code = phrase.lower().replace(" ", "_").replace("-", "_")
    body: dict[str, object] = {
        "type": f"urn:switchboard:problem:{code}",
        "title": phrase,
        "status": status,
        "code": code,
        "detail": error.description or phrase,
    }
    response = _response(body)
    for name, value in error.get_headers():
        if name.lower() == "allow":
            response.headers[name] = value
    return response


def render_unexpected(_error: Exception) -> Response:
    """A bug: logged whole, told in one sentence."""
    log.exception("unexpected error on %s %s", request.method, request.path)
    return _response(
        {
            "type": "urn:switchboard:problem:internal",
            "title": Problem.title,
            "status": 500,
            "code": "internal",
            "detail": "Something went wrong here. The log has the details.",
        }
    )


def register(app: Flask) -> None:
    """Answer errors on JSON routes as problems; pages bring their own handlers."""
    app.register_error_handler(Problem, _handle_problem)
    app.register_error_handler(HTTPException, render_http)
    app.register_error_handler(Exception, render_unexpected)


def _handle_problem(problem: Problem) -> Response:
    return render(problem)
