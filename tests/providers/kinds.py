"""Every kind of source there is, with what a test needs to speak as its sender."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from switchboard.config import read_settings
from switchboard.errors import Problem
from switchboard.lib import clock, payload
from switchboard.providers import source_kinds
from switchboard.providers.base import Event, Origin, Sample, SourceKind
from tests.world import PAYLOADS

SOURCE_KINDS: dict[str, SourceKind] = source_kinds(read_settings({"SWITCHBOARD_DATA": "unused"}))
SIGNING = [name for name, kind in SOURCE_KINDS.items() if kind.signs]
SECRET = "whsec_QSBzZWNyZXQgdGhhdCB0aGUgdGVzdHMgc2lnbiB3aXRoIQ=="
OTHER_SECRET = "whsec_QW5vdGhlciBzZWNyZXQsIGtub3duIHRvIG5vYm9keSBlbHNlIQ=="

# What a source of the kind speaks for, where the kind itself does not know.
_HOSTS = {"gitea": "git.example.org", "cairn": "cairn.example.org", "slack": "T0AB1CD2E"}
# The header that names the event, in the kinds whose bodies do not.
_EVENT_HEADERS = {"github": "X-GitHub-Event", "gitea": "X-Gitea-Event-Type"}


def host_of(name: str) -> str:
    """The host that a source of that kind is pinned to in tests."""
    return _HOSTS.get(name, SOURCE_KINDS[name].default_host)


def sample_of(name: str) -> Sample:
    """The kind's test message."""
    return SOURCE_KINDS[name].sample(host_of(name), "an-id")


def signed(name: str, secret: str = SECRET) -> tuple[dict[str, str], bytes]:
    """Headers and body of the kind's test message, signed now."""
    sample = sample_of(name)
    return SOURCE_KINDS[name].sign(sample, secret, clock.now()), sample.raw


def bodies_of(name: str) -> list[Path]:
    """The kind's recorded bodies, named by their event."""
    return sorted((PAYLOADS / name).glob("*.json"))


def headers_for(name: str, event: str) -> dict[str, str]:
    """What a sender of that kind says of an event beside its body."""
    headers = {"Content-Type": "application/json", **sample_of(name).headers}
    if name in _EVENT_HEADERS:
        headers[_EVENT_HEADERS[name]] = event.partition(".")[0]
    return headers


def understand(name: str, path: Path) -> Event:
    """A recorded body as the pipeline would understand it."""
    headers = headers_for(name, path.stem)
    body = payload.read(headers["Content-Type"], path.read_bytes())
    return SOURCE_KINDS[name].understand(headers, body, Origin(host_of(name)))


def address_of(name: str, body: Any, event: str, host: str | None = None) -> dict[str, Any] | None:
    """Where the body says that an answer goes."""
    headers = headers_for(name, event)
    origin = Origin(host_of(name) if host is None else host)
    address = SOURCE_KINDS[name].understand(headers, body, origin).address
    return None if address is None else address.as_dict()


def answer_of(ask: Callable[[], Any]) -> Any:
    """What the kind says, or the refusal: anything else that is raised is a bug."""
    try:
        return ask()
    except Problem as problem:
        return problem


def tidy(text: str, limit: int) -> bool:
    """Whether it is one line, not blank and of at most so many characters."""
    return 0 < len(text) <= limit and text.isprintable() and text == " ".join(text.split())


def assert_tidy(event: Event) -> None:
    """What is shown of an event is bounded and one line, and its kind fits its column."""
    assert tidy(event.title, 300)
    assert tidy(event.kind, 127)
    for text, limit in ((event.subject, 300), (event.object_id, 128), (event.bot_id, 128)):
        assert text is None or tidy(text, limit)
