"""One request or SMTP transaction as it arrived, and what is in it: a mail, or a notify service's event."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from functools import cached_property
from typing import Any

from switchboard.errors import Invalid, Problem
from switchboard.lib import strictjson
from switchboard.lib.text import clean
from switchboard.mail import address, mime
from switchboard.mail.places import unmappable
from switchboard.providers.email import NOTIFY, POSTMARK, Transport

REPLY = "email.reply"
EXCERPT_BYTES = 16 * 1024
MAX_EVENT_ID = 256
_NOBODY = ("", "mailer-daemon")  # Postfix's pipe writes the null sender so
_TOKEN = re.compile(rb"(?i)(?<=reply)(\+|=2b|%2b)[a-z2-7]{26}")


@dataclass(frozen=True)
class Arrival:
    """What a door read. `headers` are those of the request; SMTP's envelope is told in the same words."""

    transport: Transport
    headers: Mapping[str, str]
    raw: bytes
    remote_addr: str
    received: int = 0
    problem: Problem | None = None

    @property
    def excerpt(self) -> bytes:
        """The beginning, without tokens: what the record keeps of it."""
        return without_tokens(self.raw[: EXCERPT_BYTES + 64])[:EXCERPT_BYTES]


@dataclass(frozen=True)
class Mail:
    """A raw mail with its envelope, as far as that is known. `null_sender`: it answers nobody."""

    raw: bytes
    recipients: tuple[str, ...]
    null_sender: bool

    @cached_property
    def message(self) -> Message:
        """Its headers."""
        return mime.headers_of(self.raw)

    @property
    def name(self) -> str | None:
        """Its Message-ID."""
        return address.message_id(self.message)


@dataclass(frozen=True)
class Event:
    """An `email.reply` of a notify service; of another event only `type` is read."""

    type: str
    transaction: str = ""
    subscriber: str = ""
    text: str = ""
    message: str = ""


def without_tokens(raw: bytes) -> bytes:
    """The same with every token of a Reply-To in it replaced: a mail may quote the headers of another."""
    return _TOKEN.sub(rb"\1***", raw)


def mail_in(arrival: Arrival) -> Mail:
    """The mail of a request. Raises Invalid `invalid_json`, `unmappable`."""
    if arrival.transport is POSTMARK:
        return _from_postmark(_json(arrival.raw))
    sender = arrival.headers.get("X-Envelope-From")
    recipients = re.split(r"[\s,]+", arrival.headers.get("X-Envelope-To", ""))
    return Mail(
        arrival.raw,
        tuple(each.strip("<>") for each in recipients if each),
        sender is not None and sender.strip().strip("<>").casefold() in _NOBODY,
    )


def _from_postmark(body: Mapping[str, Any]) -> Mail:
    """https://postmarkapp.com/developer/webhooks/inbound-webhook"""
    raw = body.get("RawEmail")
    if not isinstance(raw, str) or not raw:
        raise unmappable(
            "RawEmail is missing: tick “Include raw email content in JSON payload” at Postmark.",
            "RawEmail",
        )
    to = body.get("OriginalRecipient")
    recipients = (to,) if isinstance(to, str) and to else ()
    return Mail(raw.encode("utf-8", "replace"), recipients, False)


def event_in(arrival: Arrival) -> Event:
    """The event of a request. Raises Invalid `invalid_json`, `unmappable` naming what is missing."""
    body = _json(arrival.raw)
    kind = _text(body, "type")
    if kind != REPLY:
        return Event(kind)
    message = _text(body, "messageId")
    if len(message) > MAX_EVENT_ID:
        raise unmappable(f"messageId has more than {MAX_EVENT_ID} characters.", "messageId")
    return Event(
        kind,
        _text(body, "transactionId"),
        _text(body, "subscriberId"),
        _text(body, "text"),
        message,
    )


def _text(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not (tidy := clean(value)).strip():
        raise unmappable(f"{name} is missing, or no text.", name)
    return tidy


def _json(raw: bytes) -> Mapping[str, Any]:
    try:
        body = strictjson.loads(raw)
    except ValueError as error:
        raise Invalid(
            f"The body is not JSON we take: {str(error)[:200]}.", "invalid_json"
        ) from None
    if not isinstance(body, dict):
        raise unmappable("The body is no JSON object.")
    return body


def is_event(arrival: Arrival) -> bool:
    """Whether it comes by a notify service's stream."""
    return arrival.transport is NOTIFY
