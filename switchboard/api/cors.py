"""Which other sites' pages may read our JSON: exactly those that are listed, by default none.

They bring a bearer; cookies are never allowed from elsewhere. https://fetch.spec.whatwg.org/#cors-protocol
"""

from __future__ import annotations

from flask import Response, request

from switchboard.api.context import plumbing
from switchboard.api.problems import wants_json

PREFLIGHT_SECONDS = 600


def allow(response: Response) -> Response:
    """Let a listed origin's page read the answer; any other gets no word about it."""
    allowed = plumbing().settings["CORS_ORIGINS"]
    if not allowed or not wants_json():
        return response
    response.vary.add("Origin")
    origin = request.headers.get("Origin")
    if origin not in allowed:
        return response
    headers = response.headers
    headers["Access-Control-Allow-Origin"] = origin
    if request.method == "OPTIONS":
        headers["Access-Control-Allow-Methods"] = headers.get("Allow", "")
        headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
        headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    else:
        headers["Access-Control-Expose-Headers"] = "Location, Retry-After, WWW-Authenticate"
    return response
