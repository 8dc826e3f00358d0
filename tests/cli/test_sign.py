"""`sign`: a body signed, and sent, by a machine that has nothing but the secret."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from switchboard.access.principals import Machine
from switchboard.inbound import sources
from switchboard.lib import clock
from switchboard.providers.signed_schemes import SCHEMES
from tests.cli.conftest import CommandLine, process
from tests.servers import serve
from tests.world import World

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
RAW = b'{"kind":"ticket","title":"Nightly run failed"}'

either = pytest.mark.parametrize("scheme", SCHEMES)


@pytest.fixture
def alone() -> CommandLine:
    """A command line on a machine where no Switchboard can be."""
    return CommandLine({"SWITCHBOARD_DATA": "/nowhere", "SWITCHBOARD_DATABASE_URL": "no-database"})


@pytest.fixture
def given(tmp_path: Path) -> list[str]:
    """The arguments for a secret and a body in files."""
    secret, body = tmp_path / "secret.txt", tmp_path / "body.json"
    secret.write_text(f"{SECRET}\n")
    body.write_bytes(RAW)
    return ["sign", "--secret-file", str(secret), "--body", str(body)]


def verify(headers: dict[str, str], scheme: str, raw: bytes = RAW) -> None:
    SCHEMES[scheme].verify(headers, raw, [SECRET], clock.now())


def parsed(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.splitlines())


@either
def test_the_headers_it_prints_verify(alone: CommandLine, given: list[str], scheme: str) -> None:
    headers = parsed(alone.text(*given, "--scheme", scheme))
    verify(headers, scheme)
    assert headers["Content-Type"] == "application/json"


@either
def test_as_json_they_are_an_object(alone: CommandLine, given: list[str], scheme: str) -> None:
    verify(alone.json(*given, "--scheme", scheme)["headers"], scheme)


def test_its_own_scheme_is_the_default(alone: CommandLine, given: list[str]) -> None:
    verify(parsed(alone.text(*given)), "own")


def test_a_body_may_be_piped_in(alone: CommandLine, given: list[str]) -> None:
    raw = b'{"kind":"ping"}\n'
    verify(parsed(alone.text(*given[:3], "--body", "-", stdin=raw)), "own", raw)


@either
def test_an_id_is_kept_and_otherwise_new_each_time(
    alone: CommandLine, given: list[str], scheme: str
) -> None:
    name = SCHEMES[scheme].id
    ids = [parsed(alone.text(*given, "--scheme", scheme, *more))[name] for more in (
        [], [], ["--id", "build-7"],
    )]  # fmt: skip
    assert len(set(ids)) == 3 and ids[2] == "build-7"


def test_no_secret_is_ever_said(alone: CommandLine, given: list[str]) -> None:
    for more in ([], ["--json"], ["--url", "http://127.0.0.1:1/"], ["--url", "nonsense"]):
        alone.run(*given, *more)
    assert SECRET not in "".join(alone.said)


def test_a_secret_given_in_place_of_its_file_is_not_repeated(
    alone: CommandLine, given: list[str]
) -> None:
    code, sentence = alone.error("sign", "--secret-file", SECRET, *given[3:])
    assert code == 2 and "secret file cannot be read" in sentence and SECRET not in sentence


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xff\xfe"])
def test_a_secret_file_without_a_secret_is_refused(
    alone: CommandLine, given: list[str], tmp_path: Path, raw: bytes
) -> None:
    (tmp_path / "secret.txt").write_bytes(raw)
    code, sentence = alone.error(*given)
    assert code == 2 and sentence.endswith("(invalid_argument)")


def test_a_body_file_that_is_not_there_is_refused(alone: CommandLine, given: list[str]) -> None:
    code, sentence = alone.error(*given[:3], "--body", "/nowhere/body.json")
    assert code == 2 and "body file cannot be read" in sentence


@pytest.mark.parametrize("id", ["", " a", "é", "a\nb", "x" * 257])
def test_an_id_that_no_source_takes_is_refused(
    alone: CommandLine, given: list[str], id: str
) -> None:
    assert alone.error(*given, "--id", id)[0] == 2


def test_a_plain_secret_cannot_sign_by_standard_webhooks(
    alone: CommandLine, given: list[str], tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("a plain secret")
    code, sentence = alone.error(*given, "--scheme", "standard")
    assert code == 2 and "whsec_" in sentence and "a plain secret" not in sentence


# ── sending ──────────────────────────────────────────────────────────────────────────────────────


class Listener(BaseHTTPRequestHandler):
    """Answers with the status that the path names; keeps what came."""

    came: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.came.append((dict(self.headers), body))
        said = json.dumps({"code": "as_told", "detail": "so\x1b[31m"}).encode()
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""


@pytest.fixture
def listener() -> Iterator[str]:
    Listener.came = []
    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_what_is_sent_is_the_very_body_with_its_headers(
    alone: CommandLine, given: list[str], listener: str
) -> None:
    sent = alone.json(*given, "--url", f"{listener}/202")
    [(headers, body)] = Listener.came
    assert body == RAW
    assert sent["headers"].items() <= headers.items()
    assert (sent["status"], sent["answer"]["code"], sent["error"]) == (202, "as_told", None)


@pytest.mark.parametrize(
    ("status", "code"), [(200, 0), (202, 0), (302, 1), (401, 1), (422, 1), (503, 1)]
)
def test_it_exits_by_what_was_answered_and_shows_it(
    alone: CommandLine, given: list[str], listener: str, status: int, code: int
) -> None:
    result = alone.run(*given, "--url", f"{listener}/{status}")
    assert (result.exit_code, f"Answered {status}." in result.stdout) == (code, True)
    assert "as_told" in result.stdout and "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("url", "error"), [("http://127.0.0.1:1/", "connect"), ("ftp://a", "bad_url")]
)
def test_where_no_answer_comes_it_says_why(
    alone: CommandLine, given: list[str], url: str, error: str
) -> None:
    result = alone.run(*given, "--url", url, "--json")
    assert (result.exit_code, json.loads(result.stdout)["error"]) == (1, error)


def test_it_sends_to_a_box_on_this_machine(
    world: World, environ: dict[str, str], tmp_path: Path
) -> None:
    assert world.endpoint
    new = sources.NewSource("signed", "ci", world.account["name"], letters="n", repo="rocket")
    added = sources.add(world.lib, Machine(), new)
    secret = tmp_path / "ci-secret"
    secret.write_text(added.secret or "")
    secret.chmod(stat.S_IRUSR)
    with serve(environ) as server:
        url = f"{server.url}/api/v1/r/rocket/inbound/ci"
        sending = process({}, "sign", "--secret-file", str(secret), "--body", "-", "--url", url,
                          stdin=-1)  # fmt: skip
        said, _ = sending.communicate(RAW, timeout=30)
    assert sending.returncode == 0, said
    assert world.claim()["title"] == "Nightly run failed"
