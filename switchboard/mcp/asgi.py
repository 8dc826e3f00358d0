"""A Flask request as ASGI has it, for what the SDK serves."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from flask import Request

# what the door has dealt with, or what is said anew
_TAKEN = ("content-length", "transfer-encoding", "cookie")


def scope_of(
    request: Request, body: int, *, without: tuple[str, ...] = ()
) -> MutableMapping[str, Any]:
    """The scope of a request whose `body` of so many bytes was read; cookies and `without` left out."""
    headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in request.headers
        if name.lower() not in (*_TAKEN, *without)
    ]
    headers.append((b"content-length", str(body).encode()))
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": request.query_string,
        "headers": headers,
        "client": None,
        "server": None,
    }
