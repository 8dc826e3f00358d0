"""Both GitHub stand-ins behave as the suites that lean on them assume."""

import hashlib
import hmac
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
import requests

from tests.standins import emulator, npm
from tests.standins.github import FAULTS, GitHubStandIn, recorded

COMMENTS = "/repos/acme/rocket/issues/7/comments"
BEARER = {"Authorization": "Bearer any"}


@pytest.fixture
def github() -> Iterator[GitHubStandIn]:
    """A scriptable GitHub of our own, fresh for each test."""
    with GitHubStandIn() as standin:
        yield standin


@pytest.fixture(scope="module")
def emulated() -> Iterator[emulator.Emulator]:
    """The third-party emulator, one for the module."""
    try:
        with emulator.start() as running:
            yield running
    except npm.Unavailable as missing:
        pytest.skip(str(missing))


def post(github: GitHubStandIn, text: str = "hello", **options: Any) -> requests.Response:
    """Comment as a client without retries would."""
    options = {"headers": BEARER, "timeout": 5, "allow_redirects": False, **options}
    return requests.post(github.url + COMMENTS, json={"body": text}, **options)


def test_a_comment_is_created_and_counted(github: GitHubStandIn) -> None:
    first, second = post(github, "one"), post(github, "two")
    assert (first.status_code, first.json()["body"]) == (201, "one")
    assert second.json()["id"] == first.json()["id"] + 1
    link = f"https://github.com/acme/rocket/issues/7#issuecomment-{first.json()['id']}"
    assert first.json()["html_url"] == link
    assert [one.json["body"] for one in github.posts] == ["one", "two"]
    assert github.posts[0].headers["authorization"] == "Bearer any"


def test_enterprise_serves_the_same_with_links_to_its_own_host(github: GitHubStandIn) -> None:
    answer = requests.post(
        github.enterprise_url + COMMENTS, json={"body": "x"}, headers=BEARER, timeout=5
    )
    assert answer.status_code == 201
    assert answer.json()["html_url"].startswith(f"{github.url}/acme/rocket/issues/7#")
    user = requests.get(f"{github.enterprise_url}/user", headers=BEARER, timeout=5)
    assert (user.status_code, user.json()["login"]) == (200, "switchboard-bot")


def test_what_github_refuses_by_itself_is_refused(github: GitHubStandIn) -> None:
    assert post(github, headers={}).status_code == 401
    assert post(github, "  ").status_code == 422
    assert requests.get(f"{github.url}/nowhere", headers=BEARER, timeout=5).status_code == 404
    assert [one.answer for one in github.posts] == ["requires_authentication", "validation_failed"]


@pytest.mark.parametrize("name", [name for name, one in recorded().items() if one.text is None])
def test_every_recorded_json_answer_is_sent_as_recorded(github: GitHubStandIn, name: str) -> None:
    answer = recorded()[name]
    github.program(name)
    got = post(github)
    assert got.status_code == answer.status
    assert type(got.json()) is type(answer.body)
    assert not re.search(r"\$[a-z]", got.text + str(got.headers))
    assert ("Retry-After" in got.headers) == ("Retry-After" in answer.headers)


def test_bodies_that_are_huge_broken_or_missing_are_so(github: GitHubStandIn) -> None:
    github.program(["created_huge", "created_garbage", "created_empty", "created_id_long"])
    huge, garbage, empty, long_id = (post(github) for _ in range(4))
    assert len(huge.content) > 10 * 1024 * 1024
    assert garbage.status_code == empty.status_code == 201
    assert empty.content == b""
    with pytest.raises(requests.JSONDecodeError):
        garbage.json()
    assert len(long_id.json()["id"]) == 10 * 1024


def test_a_sequence_is_followed_by_the_default(github: GitHubStandIn) -> None:
    github.program(["rate_limited_1s", "bad_gateway"])
    assert [post(github).status_code for _ in range(3)] == [429, 502, 201]


def test_an_unknown_name_is_refused(github: GitHubStandIn) -> None:
    with pytest.raises(ValueError, match="craeted"):
        github.program("craeted")


@pytest.mark.parametrize("status", [301, 302, 307])
def test_a_followed_redirect_is_counted(github: GitHubStandIn, status: int) -> None:
    github.program([f"redirect_{status}"])
    assert post(github).status_code == status
    assert github.followed == []
    github.program([f"redirect_{status}"])
    post(github, allow_redirects=True)
    assert len(github.followed) == 1


def test_a_hang_is_counted_and_answered_late_when_released(github: GitHubStandIn) -> None:
    github.program("hang_after_write")
    with pytest.raises(requests.ReadTimeout):
        post(github, timeout=0.2)
    threading.Timer(0.2, github.release).start()
    assert post(github).status_code == 201
    assert len(github.wait_for_posts(2)) == 2


def test_a_reset_is_a_reset_and_a_close_is_a_close(github: GitHubStandIn) -> None:
    github.program(["reset_after_write", "close_after_write"])
    with pytest.raises(requests.ConnectionError, match="reset by peer"):
        post(github)
    with pytest.raises(requests.ConnectionError, match="without response"):
        post(github)
    github.program("close_mid_answer")
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError)):
        post(github)
    assert len(github.posts) == 3


@pytest.mark.parametrize("name", ["drip_head", "drip_body"])
def test_a_drip_outlives_any_read_timeout(github: GitHubStandIn, name: str) -> None:
    github.load({"comments": name, "drip_seconds": 0.05})
    raw = json.dumps({"body": "x"})
    head = f"POST {COMMENTS} HTTP/1.1\r\nAuthorization: Bearer x\r\nContent-Length: {len(raw)}"
    with socket.create_connection(("127.0.0.1", int(github.url.rpartition(":")[2])), 1) as client:
        client.sendall(f"{head}\r\n\r\n{raw}".encode())
        started, reads = time.monotonic(), 0
        while time.monotonic() - started < 0.5:
            assert client.recv(65536)
            reads += 1
    assert reads >= 4


def test_a_request_cut_short_is_not_counted(github: GitHubStandIn) -> None:
    with socket.create_connection(("127.0.0.1", int(github.url.rpartition(":")[2])), 1) as client:
        client.sendall(f"POST {COMMENTS} HTTP/1.1\r\nContent-Length: 99\r\n\r\n{{".encode())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    post(github)
    assert len(github.posts) == 1


def test_it_runs_as_a_process_that_others_script_and_read(tmp_path: Any) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"comments": ["forbidden"], "user": "bad_credentials"}')
    command = [sys.executable, "-m", "tests.standins.github", "--delay-ms", "50", "--script"]
    process = subprocess.Popen([*command, str(script)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        started = time.monotonic()
        assert requests.get(f"{url}/user", headers=BEARER, timeout=5).status_code == 401
        assert time.monotonic() - started >= 0.05
        send: Any = {"json": {"body": "x"}, "headers": BEARER, "timeout": 5}
        assert requests.post(url + COMMENTS, **send).status_code == 403
        requests.post(f"{url}/_standin/script", json={"comments": "not_found"}, timeout=5)
        assert requests.post(url + COMMENTS, **send).status_code == 404
        bad = requests.post(f"{url}/_standin/script", json={"comments": "?"}, timeout=5)
        assert bad.status_code == 422
        seen = requests.get(f"{url}/_standin/requests", timeout=5).json()
        assert [one["answer"] for one in seen] == ["bad_credentials", "forbidden", "not_found"]
        assert requests.delete(f"{url}/_standin/requests", timeout=5).status_code == 200
        assert requests.get(f"{url}/_standin/requests", timeout=5).json() == []
    finally:
        process.kill()
        process.communicate()


def test_ending_it_hangs_up_on_everyone() -> None:
    with GitHubStandIn() as github:
        port = int(github.url.rpartition(":")[2])
        client = socket.create_connection(("127.0.0.1", port), 2)
        client.sendall(b"GET /user HTTP/1.1\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 401")
    with client:
        assert client.recv(1) == b""
    with GitHubStandIn(port) as again:
        assert post(again).status_code == 201


def test_every_answer_and_fault_has_a_name_of_its_own() -> None:
    assert not set(FAULTS) & set(recorded())
    assert all(one.about for one in recorded().values())


def test_the_emulator_answers_as_its_authors_read_github(emulated: emulator.Emulator) -> None:
    status, comment = emulated.comment("from the bot")
    assert (status, comment["user"]["login"]) == (201, emulated.seed.bot)
    assert comment["html_url"].startswith(f"{emulated.url}/{emulated.repo}/issues/")
    assert emulated.comments()[-1]["body"] == "from the bot"
    assert emulated.comment("x", emulated.wrong_token)[0] == 401
    assert emulated.comment("x", "")[0] == 401
    assert emulated.comment("x", emulated.outsider_token)[0] == 403
    assert emulated.comment("x", "unknown")[0] == 403
    assert emulated.comment(" ")[0] == 422
    missing = f"/repos/{emulated.repo}/issues/999/comments"
    assert emulated.call("POST", missing, {"body": "x"})[0] == 404
    enterprise = f"/api/v3/repos/{emulated.repo}/issues/{emulated.issue}/comments"
    assert emulated.call("POST", enterprise, {"body": "x"})[0] == 201


def test_the_emulator_lets_a_comment_on_a_locked_issue_through(emulated: emulator.Emulator) -> None:
    number = emulated.open_issue("locked")
    emulated.must("PUT", f"/issues/{number}/lock", {"lock_reason": "spam"})
    path = f"/repos/{emulated.repo}/issues/{number}/comments"
    assert emulated.call("POST", path, {"body": "x"})[0] == 201


class Hook(BaseHTTPRequestHandler):
    """Keeps what a webhook target received."""

    received: list[tuple[dict[str, str], bytes]] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append(({k.lower(): v for k, v in self.headers.items()}, body))
        self.send_response(202)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""


def test_the_emulator_sends_signed_webhooks(emulated: emulator.Emulator) -> None:
    with HTTPServer(("127.0.0.1", 0), Hook) as target:
        target.timeout = 5
        hook = emulated.add_webhook(f"http://127.0.0.1:{target.server_port}/hook", "s3cret")
        emulated.comment("please look", emulated.human_token)
        target.handle_request()
    headers, body = Hook.received[-1]
    expected = hmac.new(b"s3cret", body, hashlib.sha256).hexdigest()
    assert headers["x-hub-signature-256"] == f"sha256={expected}"
    assert headers["x-github-event"] == "issue_comment"
    payload = json.loads(body)
    assert payload["comment"]["body"] == "please look"
    assert payload["repository"]["html_url"] == f"{emulated.url}/{emulated.repo}"
    assert payload["issue"]["number"] == emulated.issue
    assert [one["event"] for one in emulated.deliveries(hook)] == ["issue_comment"]


def test_the_emulator_ends_with_its_block(emulated: emulator.Emulator) -> None:
    with emulator.start() as second:
        assert second.comments() == []
        url = second.url
    with pytest.raises(requests.ConnectionError, match="refused"):
        requests.get(f"{url}/user", timeout=2)


def test_two_processes_may_install_at_once(emulated: emulator.Emulator, tmp_path: Any) -> None:
    code = "from tests.standins import emulator; print(emulator.install())"
    env = {**os.environ, "SWITCHBOARD_TEST_CACHE": str(tmp_path / "cache")}
    both = [
        subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = {one.communicate(timeout=60)[0] for one in both}
    assert [one.returncode for one in both] == [0, 0]
    assert len(outputs) == 1
