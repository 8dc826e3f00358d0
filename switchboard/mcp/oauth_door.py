"""OAuth's routes, for MCP clients that insist on it: what a client finds out, and what the SDK answers.

The consent screen is a page (`web/consent.py`). Where the base URL is neither HTTPS nor this machine
there is no OAuth, as its own rules have it, and clients use the endpoint's credential.
"""

from __future__ import annotations

from typing import cast

from flask import Blueprint, Response, current_app, jsonify, request

from switchboard.access import oauth_programs
from switchboard.errors import NotFound
from switchboard.lib import bodies
from switchboard.lib.plumbing import Plumbing
from switchboard.mcp.asgi import scope_of
from switchboard.mcp.bridge import Bridge

bp = Blueprint("oauth", __name__)

BODY_BYTES = 64 * 1024
RESOURCE = "/.well-known/oauth-protected-resource"


def metadata_url(lib: Plumbing, slug: str) -> str | None:
    """Where a client learns who lets it in (RFC 9728); None where nobody does."""
    if not oauth_programs.possible(lib):
        return None
    return f"{lib.settings.base_url}{RESOURCE}/mcp/{slug}"


@bp.get(f"{RESOURCE}/mcp/<slug>")
def resource(slug: str) -> Response:
    """The protected resource. It is the same for every slug, known or not."""
    lib = _lib()
    base = lib.settings.base_url
    return jsonify(
        resource=f"{base}/mcp/{slug}",
        authorization_servers=[base],
        bearer_methods_supported=["header"],
        resource_name="Switchboard",
    )


@bp.get("/.well-known/oauth-authorization-server")
@bp.get("/authorize")
@bp.post("/authorize")
@bp.post("/token")
@bp.post("/revoke")
def ask() -> Response:
    """What the SDK answers."""
    _lib()
    return _exchange()


@bp.post("/register")
def register() -> Response:
    """The same, for anybody, and so at a measured pace. Raises RateLimited."""
    oauth_programs.charge_registration(_lib())
    return _exchange()


def _exchange() -> Response:
    raw = bodies.read(request, BODY_BYTES, current_app.extensions["switchboard.deadlines"])
    bridge = cast(Bridge, current_app.extensions["switchboard.mcp"])
    answer = bridge.exchange(scope_of(request, len(raw), without=("origin",)), raw)
    return Response(answer.body, answer.status, answer.headers, content_type=answer.content_type)


def _lib() -> Plumbing:
    """The plumbing. Raises NotFound where there is no OAuth."""
    lib: Plumbing = current_app.extensions["switchboard"]
    if not oauth_programs.possible(lib):
        raise NotFound("OAuth needs SWITCHBOARD_BASE_URL to be an https address.")
    return lib
