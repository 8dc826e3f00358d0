"""Style sheet, script and icon, served by us and cached for good under a name that changes with them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from flask import Blueprint, Flask, Response, request, send_from_directory, url_for

STATIC = Path(__file__).parent / "static"
FOREVER = "public, max-age=31536000, immutable"
REVALIDATE = "public, no-cache"
VERSION_HEX = 12

bp = Blueprint("assets", __name__)


@bp.get("/assets/<path:name>")
def asset(name: str) -> Response:
    """One file; for good under its current version, else checked by ETag each time."""
    response = send_from_directory(STATIC, name)
    current = response.status_code == 200 and request.args.get("v") == _version(name)
    response.headers["Cache-Control"] = FOREVER if current else REVALIDATE
    return response


@cache
def _version(name: str) -> str:
    return hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:VERSION_HEX]


def _url(name: str) -> str:
    return url_for("assets.asset", name=name, v=_version(name))


def register(app: Flask) -> None:
    """Serve the files and let templates name them as `asset_url(name)`."""
    app.register_blueprint(bp)
    app.jinja_env.globals["asset_url"] = _url
