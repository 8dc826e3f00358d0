"""A stand-in GitHub: takes issue comments and says who the token belongs to, as api.github.com does.

https://docs.github.com/en/rest/issues/comments#create-an-issue-comment
"""

from __future__ import annotations

import itertools
import json
import re
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LOGIN = "acme-bot"
_COMMENTS = re.compile(r"/repos/([\w.-]+/[\w.-]+)/issues/([0-9]+)/comments", re.ASCII)
_ids = itertools.count(2_100_000_001)


def server(listener: socket.socket) -> ThreadingHTTPServer:
    """A server on a socket that already listens."""
    made = ThreadingHTTPServer(listener.getsockname(), _Handler, bind_and_activate=False)
    made.socket.close()
    made.socket = listener
    return made


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """`GET /user`."""
        if self.path == "/user":
            self._answer(200, {"login": LOGIN, "id": 42, "type": "Bot"})
        else:
            self._answer(404, {"message": "Not Found"})

    def do_POST(self) -> None:
        """`POST /repos/{owner}/{repo}/issues/{number}/comments`."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        wanted = _COMMENTS.fullmatch(self.path)
        if wanted is None:
            self._answer(404, {"message": "Not Found"})
            return
        comment = next(_ids)
        page = f"https://github.com/{wanted[1]}/issues/{wanted[2]}#issuecomment-{comment}"
        made = {"id": comment, "html_url": page, "user": {"login": LOGIN}}
        self._answer(201, made | {"body": json.loads(raw)["body"]})

    def _answer(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the delivery page tells the story."""
