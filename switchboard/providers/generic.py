"""Anything that posts JSON: its URL alone lets it in, so nothing it says is proved or can be answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.errors import Invalid
from switchboard.lib import bodykeys
from switchboard.lib.text import one_line
from switchboard.providers.base import Event, Origin, Sample, ShellSignature, Speaks
from switchboard.providers.reading import (
    MAX_TITLE,
    event_name,
    header,
    mapping,
    missing_id,
    plain_id,
)

IDS = ("X-Delivery-Id", "webhook-id")
EVENT = "X-Event-Type"
BODY_SECONDS = 600  # the same ping of a cron an hour later is a new one
# Where senders of all kinds put these, the likeliest first.
EVENT_FIELDS = ("event_type", "event", "type", "kind")
TITLE_FIELDS = ("title", "summary", "message", "text", "subject", "name", "description")
SUBJECT_FIELDS = ("subject", "repository", "repo", "project", "service")


class Generic:
    """A sender without a signature."""

    kind = "generic"
    label = "Anything with a URL"
    default_host = ""
    speaks: Speaks | None = None
    signing_help = ""
    default_letters = "n"
    signs = False
    filed = False
    pins_repos = False
    shell: ShellSignature | None = None
    secret_fields: tuple[str, ...] = ()

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Nothing to check: whoever knows the URL is let in."""

    def hashed(self, headers: Mapping[str, str], raw: bytes, secret: str) -> None:
        """Nothing: it signs nothing."""

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """The headers as they are."""
        return dict(sample.headers)

    def sample(self, host: str, delivery_id: str) -> Sample:
        """A ping."""
        headers = {"Content-Type": "application/json", IDS[0]: delivery_id}
        return Sample(headers, json.dumps({"ping": True}).encode())

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """X-Delivery-Id or webhook-id; there need not be one, but one that is there must be plain."""
        name = next((name for name in IDS if headers.get(name)), None)
        if name is None:
            return None
        given = plain_id(headers[name])
        if given is None:
            raise missing_id(name)
        return given

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """Without an id the body with its event, for ten minutes."""
        if header(headers, *IDS):
            return {}
        return {bodykeys.key_of(body_sha256, self.event_type(headers, body)): BODY_SECONDS}

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """X-Event-Type or one of the usual fields when it is a plain name, else `generic`."""
        fields = mapping(body)
        given = (headers.get(EVENT), *(fields.get(name) for name in EVENT_FIELDS))
        return next((name for name in map(_name, given) if name), "generic")

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """Whatever JSON came, with a title and subject from the usual fields."""
        kind = self.event_type(headers, body) or self.kind
        fields = mapping(body)
        if fields.get("ping") is True and len(fields) == 1:
            return Event("ping", "Ping", letter=None)
        title = _text(body) or _first(fields, TITLE_FIELDS) or f"{kind} event"
        subject = _first(fields, SUBJECT_FIELDS)
        return Event(kind, title, subject=None if subject == title else subject)

    def steps(self, ingest_url: str) -> list[str]:
        """How to send to it, and what it cannot do."""
        return [
            f'POST any JSON, as in: curl -d \'{{"title": "The backup is done"}}\' {ingest_url}',
            f"Name the event in the {EVENT} header, and give each delivery an id of its own in "
            f"{IDS[0]}, so that a retry is known as one.",
            "The address is the only proof: keep it secret, and revoke the source should it leak.",
            "What comes this way can never be answered where it came from. If the sender can sign, "
            "add a source of its own kind, or a signed one, instead.",
        ]

    def source_host(self, text: str) -> str:
        """Nothing: it speaks for no host. Raises Invalid when one is given."""
        if text:
            raise Invalid("A generic source speaks for no host; leave it out.", field="host")
        return ""


def _name(text: object) -> str | None:
    if not isinstance(text, str):
        return None
    return event_name(text.strip().lower().replace("-", "_"), dotted=True)


def _text(value: object) -> str | None:
    """A text that is not blank as one line, else None."""
    return (one_line(value, MAX_TITLE) or None) if isinstance(value, str) else None


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> str | None:
    return next((text for text in (_text(fields.get(name)) for name in names) if text), None)
