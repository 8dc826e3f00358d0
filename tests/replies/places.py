"""The places an answer can go to, each with its stand-in: what a person says there, and its echo.

A test that holds for every kind of address runs once on each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from switchboard.lib import clock
from tests.standins import cairn, gitea
from tests.standins.github import GitHubStandIn
from tests.standins.scripted import StandIn
from tests.standins.slack import TEAM, SlackStandIn
from tests.world import World, payload

KINDS = ("github", "gitea", "slack", "cairn")
TOKEN = "canary-token-of-a-place-0123456789"
NUMBERS = count(1)  # of everything said anywhere: an event is never a repeat of another

Said = tuple[dict[str, Any], dict[str, str]]  # a body, and the headers it comes with


@dataclass(frozen=True)
class Place:
    """One kind of place.

    `host` is what a source speaks for and `account` what a connection is for; `elsewhere` is another
    account's key. `asks(number)` is a person's words in conversation `number`, `echoes(number, text,
    object_id)` how a comment there comes back; `ids` are the object ids the stand-in gives, in order.
    `admits` and `refuses` are targets that let conversation 7 in and keep it out.
    """

    kind: str
    standin: Any
    host: str
    account: str
    elsewhere: str
    asks: Callable[[int], Said]
    echoes: Callable[[int, str, str], Said]
    ids: Iterator[str]
    admits: str
    refuses: str
    answered: str

    @property
    def texts(self) -> list[str]:
        """What was posted there, as it was sent."""
        field = "text" if self.kind == "slack" else "body"
        return [post.json[field] for post in self.standin.posts]

    def source(self, world: World, **wanted: Any) -> Any:
        """A source for it, on the world's endpoint."""
        assert world.endpoint
        return world.add_source(self.kind, self.kind, host=self.host, **wanted)

    def connect(self, world: World, name: str = "answers", **wanted: Any) -> dict[str, Any]:
        """A connection to it."""
        wanted = {"account_key": self.account, "secret": TOKEN, **wanted}
        return world.connect(name, self.kind, **wanted)

    def hear(self, world: World, source: Any, said: Said) -> Any:
        """Deliver what was said there, signed as its provider signs: the answer's JSON."""
        answer = world.signed(source, *said)
        assert answer.status_code in (200, 202), answer.data
        return answer.json


@contextmanager
def place(kind: str) -> Iterator[Place]:
    """The place of that kind, its stand-in running."""
    with MAKERS[kind]() as made:
        yield made


@contextmanager
def _github() -> Iterator[Place]:
    with GitHubStandIn() as standin:
        account = standin.url
        yield Place(
            "github",
            standin,
            account,
            account,
            "https://elsewhere.example.org",
            lambda number: _forge("github", "X-GitHub-", "issues.opened", account, number),
            lambda number, text, object_id: _forge(
                "github", "X-GitHub-", "issue_comment.created", account, number, text, object_id
            ),
            (str(2_000_000_001 + number) for number in count()),
            "acme/*",
            "other/*",
            "/api/v3/repos/acme/rocket/issues/7/comments",
        )


@contextmanager
def _gitea() -> Iterator[Place]:
    with gitea.standin() as standin:
        account = f"{standin.url}/git"
        yield Place(
            "gitea",
            standin,
            account,
            account,
            "https://elsewhere.example.org",
            lambda number: _forge("gitea", "X-Gitea-", "issues.opened", account, number),
            lambda number, text, object_id: _forge(
                "gitea", "X-Gitea-", "issue_comment.created", account, number, text, object_id
            ),
            (str(1001 + number) for number in count()),
            "ACME/rock*",
            "acme/other",
            "/git/api/v1/repos/acme/rocket/issues/7/comments",
        )


def _forge(
    kind: str, prefix: str, event: str, base: str, number: int, text: str = "", object_id: str = ""
) -> Said:
    body, serial = payload(f"{kind}/{event}"), next(NUMBERS)
    body["issue"]["number"] = number
    body["issue"]["title"] = f"Something is wrong, {serial}"
    body["repository"] |= {"full_name": "acme/rocket", "html_url": f"{base}/acme/rocket"}
    if object_id:
        body["comment"] |= {"id": int(object_id), "body": text}
    headers = {f"{prefix}Event": event.partition(".")[0], f"{prefix}Delivery": f"said-{serial}"}
    return body, headers


@contextmanager
def _slack() -> Iterator[Place]:
    with SlackStandIn() as standin:
        yield Place(
            "slack",
            standin,
            TEAM,
            TEAM,
            "T0ELSEWHERE",
            lambda number: slack_message("please look", f"1767258000.{number:06d}"),
            lambda number, text, object_id: slack_message(
                text, object_id.partition(":")[2], f"1767258000.{number:06d}"
            ),
            (f"C0ROCKET1:1767260000.{number:06d}" for number in count(1001)),
            "C0ROCKET*",
            "C0OTHER01",
            "/api/chat.postMessage",
        )


def slack_message(
    text: str, ts: str, thread_ts: str | None = None, channel: str = "C0ROCKET1", team: str = TEAM
) -> Said:
    """A message, as Slack sends it."""
    body = payload("slack/message")
    body |= {"event_id": f"Ev{next(NUMBERS):010d}", "team_id": team}
    body["event"] |= {"text": text, "ts": ts, "channel": channel}
    if thread_ts:
        body["event"]["thread_ts"] = thread_ts
    return body, {}


@contextmanager
def _cairn() -> Iterator[Place]:
    with cairn.standin() as standin:
        yield Place(
            "cairn",
            standin,
            standin.url,
            standin.url,
            "https://elsewhere.example.org",
            lambda number: _artifact(standin, "created", number),
            lambda number, text, object_id: _artifact(
                standin, "commented", number, {"id": object_id, "author": "fixer", "body": text}
            ),
            (f"cm_{number}" for number in count(1001)),
            "artifact-7",
            "artifact-8",
            "/v1/artifacts/artifact-7/comments",
        )


def _artifact(
    standin: StandIn, event: str, number: int, comment: Mapping[str, Any] | None = None
) -> Said:
    body, artifact = payload(f"cairn/artifact.{event}"), f"artifact-{number}"
    body |= {"event_id": f"evt_{next(NUMBERS)}", "created_at": clock.iso(clock.now())}
    body["artifact"] |= {"id": artifact, "url": f"{standin.url}/{artifact}"}
    if comment:
        body["comment"] = dict(comment)
    return body, {}


MAKERS: dict[str, Any] = {"github": _github, "gitea": _gitea, "slack": _slack, "cairn": _cairn}
