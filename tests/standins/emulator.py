"""A GitHub none of us wrote: the npm package `emulate`, run as a real process.

Owns its installation (once, into a cache directory), its seed and its life time. Speaks to it over
HTTP only; what it answers is its authors' reading of GitHub's contract, not ours.

    with start() as github:
        github.add_webhook("http://127.0.0.1:8000/hooks/...", "hook secret")
        github.comment("please look", github.human_token)       # sends a signed issue_comment
        assert [one["body"] for one in github.comments()] == [...]

How it differs from GitHub (measured, 0.12.2): an unknown token acts as the first seeded user, so
that one is given nothing and the repository is private (a wrong token gets 403); only a token that
looks like a JWT gets 401. A locked issue still takes comments (201), a repository without issues
says 404, not 410. `X-GitHub-Delivery` counts 1, 2, 3 … from each start. A failed webhook is not
sent again.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest

from tests.standins import npm

PACKAGE = "emulate"
VERSION = "0.12.2"

# Our product speaks to every host but github.com below /api/v3, as GitHub Enterprise wants it; the
# emulator serves the root only. This takes the prefix off before the emulator sees the request.
ENTERPRISE_PREFIX = """
import http from "node:http";
const emit = http.Server.prototype.emit;
http.Server.prototype.emit = function (event, request, ...rest) {
  if (event === "request" && request.url.startsWith("/api/v3/")) request.url = request.url.slice(7);
  return emit.call(this, event, request, ...rest);
};
"""


@dataclass(frozen=True)
class Seed:
    """What exists at the start: an organisation's private repository with one issue.

    `human` opens issues and owns the hooks, `bot` is who our product posts as, `outsider` has a
    valid token and no access. A token is `token-<login>`.
    """

    org: str = "acme"
    name: str = "rocket"
    human: str = "mona"
    bot: str = "switchboard-bot"
    outsider: str = "passer-by"
    issue_title: str = "The rocket does not start"

    def document(self) -> dict[str, Any]:
        """The emulator's own seed format; issues and hooks have no place in it, they are posted."""
        logins = ("nobody", self.human, self.bot, self.outsider)
        members = [{"login": self.human, "role": "admin"}, {"login": self.bot}]
        repo = {"owner": self.org, "name": self.name, "private": True, "auto_init": False}
        return {
            "tokens": {token(login): {"login": login} for login in logins[1:]},
            "github": {
                "users": [{"login": login} for login in logins],
                "orgs": [{"login": self.org, "members": members}],
                "repos": [repo],
            },
        }


@dataclass
class Emulator:
    """A running emulator. `url` is its root; the API answers there and below `enterprise_url`."""

    url: str
    seed: Seed
    issue: int = 0
    wrong_token: ClassVar[str] = "eyJ-revoked"

    @property
    def enterprise_url(self) -> str:
        """The API's base as a GitHub Enterprise server has it."""
        return f"{self.url}/api/v3"

    @property
    def repo(self) -> str:
        """`owner/name` of the seeded repository."""
        return f"{self.seed.org}/{self.seed.name}"

    @property
    def token(self) -> str:
        """The token our product posts with."""
        return token(self.seed.bot)

    @property
    def human_token(self) -> str:
        """The token of the one who opens issues, comments and owns the hooks."""
        return token(self.seed.human)

    @property
    def outsider_token(self) -> str:
        """A valid token that gets 403 on the repository."""
        return token(self.seed.outsider)

    def call(
        self, method: str, path: str, body: Any = None, token: str | None = None
    ) -> tuple[int, Any]:
        """One API call as the bot (or with `token`, "" = none): status and JSON (None if empty)."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        request.add_header("Content-Type", "application/json")
        if bearer := self.token if token is None else token:
            request.add_header("Authorization", f"Bearer {bearer}")
        try:
            with LOCAL.open(request, timeout=10) as answer:
                status, raw = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, raw = error.code, error.read()
        return status, json.loads(raw) if raw else None

    def must(self, method: str, path: str, body: Any = None) -> Any:
        """A call as the human that has to succeed: its JSON, or RuntimeError."""
        status, answer = self.call(method, f"/repos/{self.repo}{path}", body, self.human_token)
        if status >= 300:
            raise RuntimeError(f"{method} {path}: {status} {answer}")
        return answer

    def open_issue(self, title: str, body: str = "") -> int:
        """Open an issue as the human (sends `issues.opened`): its number."""
        return int(self.must("POST", "/issues", {"title": title, "body": body})["number"])

    def comment(self, text: str, token: str | None = None) -> tuple[int, Any]:
        """Comment on the seeded issue (sends `issue_comment.created`): status and JSON."""
        path = f"/repos/{self.repo}/issues/{self.issue}/comments"
        return self.call("POST", path, {"body": text}, token)

    def comments(self, issue: int | None = None) -> list[dict[str, Any]]:
        """The comments of an issue (the seeded one), oldest first, at most 100."""
        path = f"/issues/{issue or self.issue}/comments?per_page=100"
        return list(self.must("GET", path))

    def add_webhook(
        self, url: str, secret: str, events: Sequence[str] = ("issues", "issue_comment")
    ) -> int:
        """Send the repository's later events to `url`, signed with `secret`: the hook's id."""
        config = {"url": url, "content_type": "json", "secret": secret}
        body = {"name": "web", "active": True, "events": list(events), "config": config}
        return int(self.must("POST", "/hooks", body)["id"])

    def deliveries(self, hook: int) -> list[dict[str, Any]]:
        """What the emulator sent to a hook and got back (`event`, `status_code`), newest first."""
        return list(self.must("GET", f"/hooks/{hook}/deliveries?per_page=100"))


# The environment's proxies are not for 127.0.0.1.
LOCAL = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def token(login: str) -> str:
    """The seeded token of a login."""
    return f"token-{login}"


def install() -> Path:
    """The emulator's entry script. Unavailable without Node or npm."""
    return npm.entry(PACKAGE, VERSION)


@contextlib.contextmanager
def start(port: int = 0, seed: Seed | None = None) -> Iterator[Emulator]:
    """Run the emulator on 127.0.0.1 with one issue open; its process group ends with the block.

    `port` 0 takes a free one. Unavailable without Node or npm; RuntimeError when it does not come
    up within 20 s. A webhook's target may not sit on a port that Node's fetch refuses (4190, 5060,
    6000, …).
    """
    entry = install()
    emulator = Emulator(f"http://127.0.0.1:{port or free_port()}", seed or Seed())
    with tempfile.TemporaryDirectory() as work, open(Path(work) / "log", "w+") as log:
        process = launch(entry, emulator, Path(work), log.fileno())
        try:
            wait_until_ready(process, emulator, Path(work) / "log")
            emulator.issue = emulator.open_issue(emulator.seed.issue_title)
            yield emulator
        finally:
            end(process)


def launch(entry: Path, emulator: Emulator, work: Path, log: int) -> subprocess.Popen[bytes]:
    """Start the process in a group of its own, with our seed and none of our environment."""
    seed = work / "seed.json"
    seed.write_text(json.dumps(emulator.seed.document()))
    prefix = f"data:text/javascript,{urllib.parse.quote(ENTERPRISE_PREFIX)}"
    command = [str(npm.node()), "--import", prefix, str(entry), "start", "--service", "github"]
    command += ["--host", "127.0.0.1", "--port", emulator.url.rpartition(":")[2]]
    command += ["--base-url", emulator.url, "--seed", str(seed)]
    return subprocess.Popen(
        command, cwd=work, env={"HOME": str(work)}, stdout=log, stderr=log, start_new_session=True
    )


def wait_until_ready(process: subprocess.Popen[bytes], emulator: Emulator, log: Path) -> None:
    """Return once it answers as our bot; RuntimeError with its output if it ends or takes 20 s."""
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            status, answer = emulator.call("GET", "/user")
            if status == 200 and answer["login"] == emulator.seed.bot:
                return
        time.sleep(0.05)
    raise RuntimeError(f"{PACKAGE}@{VERSION} did not come up: {log.read_text()[-2000:]}")


def end(process: subprocess.Popen[bytes]) -> None:
    """Terminate the process group, then kill what is left of it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)


def free_port() -> int:
    """A port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


Running = TypeVar("Running")


@contextlib.contextmanager
def or_skip(start: Callable[[], AbstractContextManager[Running]]) -> Iterator[Running]:
    """What `start` yields; the test is skipped, saying why, where the emulator cannot be had."""
    try:
        with start() as running:
            yield running
    except npm.Unavailable as missing:
        pytest.skip(str(missing))
