"""`POST /mcp/<slug>`: who is calling is settled here, then the SDK has the word.

Every message stands alone, so there is no stream to open and no session to end: other methods are 405.
"""

from __future__ import annotations

from typing import cast
from urllib.parse import quote, urlsplit

from flask import Blueprint, Response, current_app, jsonify, request

from switchboard.access import endpoints
from switchboard.access.principals import Agent
from switchboard.errors import Forbidden, RateLimited, Unauthenticated
from switchboard.lib import bodies
from switchboard.lib.plumbing import Plumbing
from switchboard.mcp import wire
from switchboard.mcp.asgi import scope_of
from switchboard.mcp.bridge import Bridge
from switchboard.mcp.caller import CALLER, Caller
from switchboard.mcp.oauth_door import metadata_url

bp = Blueprint("mcp", __name__, url_prefix="/mcp")

BODY_BYTES = 256 * 1024  # the longest reply, every character of it an escaped emoji
_URL = ":/?[]@!$&'()*+,;=%~"
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@bp.post("/<slug>")
def message(slug: str) -> Response | tuple[Response, int]:
    """Take one JSON-RPC message of the endpoint's agent."""
    lib: Plumbing = current_app.extensions["switchboard"]
    _refuse_foreign_origin(lib)
    agent = _agent(lib, slug)
    raw = bodies.read(request, BODY_BYTES, current_app.extensions["switchboard.deadlines"])
    try:
        told = wire.read(raw)
    except ValueError as error:
        return jsonify(wire.parse_error(error)), 400
    caller = _charged(lib, agent, as_result=wire.is_tool_call(told))
    bridge = cast(Bridge, current_app.extensions["switchboard.mcp"])
    # the caller stands in place of the credential
    scope = scope_of(request, len(raw), without=("authorization",))
    scope[CALLER] = caller
    answer = bridge.exchange(scope, raw)
    return Response(answer.body, answer.status, answer.headers, content_type=answer.content_type)


@bp.after_request
def _challenge(response: Response) -> Response:
    """RFC 9110 section 15.5.2: a 401 says how to do better; RFC 9728: and where to ask to be let in."""
    if response.status_code == 401:
        slug = (request.view_args or {}).get("slug", "")
        lib: Plumbing = current_app.extensions["switchboard"]
        where = metadata_url(lib, slug) if slug.isascii() and slug.isprintable() else None
        told = "Bearer" if where is None else f'Bearer resource_metadata="{quote(where, _URL)}"'
        response.headers["WWW-Authenticate"] = told
    return response


def _refuse_foreign_origin(lib: Plumbing) -> None:
    """Raise Forbidden for a browser's call from a site not ours, listed or of this machine."""
    origin = request.headers.get("Origin")
    if origin is None or origin == _origin(lib.settings.base_url):
        return
    if origin in lib.settings["CORS_ORIGINS"]:
        return
    try:
        host = urlsplit(origin).hostname
    except ValueError:
        host = None
    if host not in LOOPBACK:
        raise Forbidden("Calls from other sites' pages are refused.", field="Origin")


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _agent(lib: Plumbing, slug: str) -> Agent:
    """Whose credential it is. Raises Unauthenticated, also for one of another endpoint, Forbidden."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip().startswith(endpoints.CREDENTIAL_PREFIX):
        raise Unauthenticated("Send Authorization: Bearer sbk_… with this endpoint's credential.")
    agent = endpoints.recognise(lib, token.strip())
    if agent.slug != slug:
        raise Unauthenticated(
            "This credential is another endpoint's; its address ends in its slug."
        )
    return agent


def _charged(lib: Plumbing, agent: Agent, *, as_result: bool) -> Caller:
    """The caller, charged one call. What is over the rate is raised, or told as a tool's result."""
    waiting = current_app.extensions["switchboard.waiting"]
    try:
        endpoints.charge(lib, agent)
    except RateLimited as refusal:
        if not as_result:
            raise
        return Caller(lib, agent, waiting, refusal)
    return Caller(lib, agent, waiting)
