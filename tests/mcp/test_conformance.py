"""The protocol's own conformance suite against a box; what it wants of its fixture server is in a baseline.

It cannot sign in, so a forwarder adds the endpoint's credential on the way.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from switchboard import create_app
from switchboard.config import read_settings
from tests.conftest import environ_on
from tests.mcp.clients import url_of
from tests.servers import LOCAL, serve
from tests.standins import npm
from tests.world import World

PACKAGE, VERSION = "@modelcontextprotocol/conformance", "0.1.16"
BASELINE = Path(__file__).parent / "conformance.yml"


@contextmanager
def forwarder(url: str, credential: str) -> Iterator[str]:
    """An address that leads to `url` with the credential; everything else goes through as it came."""

    class Forward(BaseHTTPRequestHandler):
        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            kept = {
                n: v for n, v in self.headers.items() if n.lower() not in ("host", "connection")
            }
            headers = {**kept, "Authorization": f"Bearer {credential}"}
            asked = urllib.request.Request(url, body or None, headers, method=self.command)
            try:
                with LOCAL.open(asked, timeout=30) as answer:
                    status, told, said = answer.status, answer.headers, answer.read()
            except urllib.error.HTTPError as error:
                status, told, said = error.code, error.headers, error.read()
            self.send_response(status)
            self.send_header("Content-Type", told.get("Content-Type", "application/json"))
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            with contextlib.suppress(OSError):  # the suite does not always wait for the answer
                self.wfile.write(said)

        do_GET = do_POST = do_DELETE = do_OPTIONS = forward

        def log_message(self, format: str, *args: object) -> None:
            """Silence."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Forward) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.mark.timeout(300)
def test_the_suite_finds_nothing_that_the_baseline_does_not_explain(
    tmp_path: Path, sqlite_template: Path, valkey_url: str
) -> None:
    environ = environ_on(tmp_path, sqlite_template, valkey_url)
    world = World(create_app(read_settings(environ)))
    try:
        script = npm.entry(PACKAGE, VERSION)
    except npm.Unavailable as missing:
        pytest.skip(str(missing))
    with (
        serve(environ, processes=1) as server,
        forwarder(url_of(server, world.endpoint), world.endpoint.credential) as url,
    ):
        command = [str(npm.node()), str(script), "server", "--url", url]
        command += ["--expected-failures", str(BASELINE)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout[-6000:]
    assert "passed" in done.stdout.lower()
