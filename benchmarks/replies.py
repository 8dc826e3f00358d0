"""Replies: what we add to the provider's round trip, and how many dials a second a pool makes."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

import requests

from benchmarks import load, servers, world
from benchmarks.table import Row
from benchmarks.world import World
from tests.standins.github import GitHubStandIn

WORKERS = 2
QUIET_REPLIES = 30
DIALS = 200
PROVIDER_MS = 50
LATENCY_BAR_MS, DIAL_BAR = 50.0, 0.8


def rows(valkey: str) -> list[Row]:
    """Both rows, on SQLite and the box's default pool of two workers."""
    return [_latency(valkey), _dials(valkey)]


def _latency(valkey: str) -> Row:
    """Accepted (the call arrives) to posted (the stand-in has it), one at a time."""
    with GitHubStandIn() as github, _site(valkey, github.url, workers=True) as (agent, made):
        trips = [_round_trip(github.url) for _ in range(QUIET_REPLIES)]
        took = []
        for todo in agent.claim(made, QUIET_REPLIES):
            sent_at = time.time()
            outcome = agent.call("POST", f"/todos/{todo}/replies", {"text": f"measured {todo}"})
            assert outcome["state"] == "sent", outcome
            took.append((github.posts[-1].at - sent_at) * 1000)
        added = median(took) - median(trips)
    return Row(
        "reply accepted → posted, queue idle",
        f"{added:.0f} ms added",
        f"the stand-in's own round trip {median(trips):.1f} ms",
        f"≤ {LATENCY_BAR_MS:.0f} ms",
        added <= LATENCY_BAR_MS,
    )


def _round_trip(url: str) -> float:
    started = time.time()
    requests.get(f"{url}/user", headers={"Authorization": "Bearer x"}, timeout=10)
    return (time.time() - started) * 1000


def _dials(valkey: str) -> Row:
    """A backlog worked off against a provider that takes 50 ms."""
    with (
        GitHubStandIn(delay_ms=PROVIDER_MS) as github,
        _site(valkey, github.url, workers=False) as (agent, made),
    ):
        for todo in agent.claim(made, DIALS):
            agent.call("POST", f"/todos/{todo}/replies", {"text": f"dialled {todo}", "wait": 0})
        with agent.workers():
            github.wait_for_posts(DIALS, 60)
        posts = sorted(post.at for post in github.posts)
    rate = (len(posts) - 1) / (posts[-1] - posts[0])
    most = WORKERS / (PROVIDER_MS / 1000)
    return Row(
        f"dials a second, {WORKERS} workers, provider of {PROVIDER_MS} ms",
        f"{rate:.0f}/s ({rate / most:.2f})",
        f"{most:.0f}/s",
        f"≥ {DIAL_BAR}",
        rate / most >= DIAL_BAR,
    )


class Agent:
    """An agent of the measured site."""

    def __init__(self, port: int, credential: str, environ: dict[str, str], log: Path) -> None:
        self.port, self._environ, self._log = port, environ, log
        self._http = requests.Session()
        self._http.headers["Authorization"] = f"Bearer {credential}"

    def call(self, method: str, path: str, body: object = None) -> dict[str, str]:
        """One call of the JSON API, which must succeed."""
        url = f"http://127.0.0.1:{self.port}/api/v1{path}"
        answer = self._http.request(method, url, json=body, timeout=30)
        answer.raise_for_status()
        found: dict[str, str] = answer.json()
        return found

    def claim(self, made: World, number: int) -> list[str]:
        """Have so many issues delivered and claimed; their todos' ids."""
        requests_ = load.deliveries(made.path, made.secret)
        for _ in range(number):
            load.send(self.port, next(requests_))
        return [self.call("POST", "/todos/claim-next")["id"] for _ in range(number)]

    @contextmanager
    def workers(self) -> Iterator[None]:
        """The pool of workers, as the box runs it."""
        arguments = [sys.executable, "-m", "jobs.worker"]
        with servers.process(arguments, self._environ, self._log):
            yield


@contextmanager
def _site(valkey: str, github: str, *, workers: bool) -> Iterator[tuple[Agent, World]]:
    with tempfile.TemporaryDirectory(prefix="sbr") as name, ExitStack() as stack:
        folder = Path(name)
        environ = servers.settings(
            folder,
            f"sqlite:///{folder}/box.db",
            valkey,
            GITHUB_API_URL=github,
            ALLOW_HTTP="1",
            ALLOW_CIDRS="127.0.0.1/32",
            REPLY_RATE="0:1",
            ENDPOINT_RATE="0:1",
            WORKERS=str(WORKERS),
        )
        made = world.make(environ)
        port = stack.enter_context(servers.gunicorn("wsgi:app", environ))
        agent = Agent(port, made.credential, environ, folder / "workers.log")
        if workers:
            stack.enter_context(agent.workers())
        yield agent, made
