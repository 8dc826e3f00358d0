"""What is known of an inbound request so far. Every step fills in more; the record keeps all of it."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from switchboard.errors import Problem
from switchboard.inbound.ack_store import FoundSource
from switchboard.lib import ids
from switchboard.lib.text import clean, one_line

MAX_HEADERS = 60
MAX_HEADER = 1000
HIDDEN = "***"
_SECRET = re.compile(r"signature|authorization|cookie|token|secret|api-?key|inbound$", re.I)
_TOKEN_IN_URL = re.compile(r"(?<=/hooks/)[A-Za-z0-9_-]+|(?<=reply\+)[a-z2-7]{26}", re.I)


@dataclass(frozen=True)
class Incoming:
    """One request as the door read it, its headers case-insensitive.

    It names its source by the secret `token` of its URL, or by `place`: a repo and the source's name.
    `problem` is set when the body could not be read whole; `received` bytes of it came.
    """

    token: str | None
    place: tuple[str, str] | None
    headers: Mapping[str, str]
    raw: bytes
    remote_addr: str
    received: int = 0
    problem: Problem | None = None


@dataclass
class Draft:
    """A delivery in the making.

    `trust` says what let it in (`signed`, `token`; None: nothing did), `verified` that the body itself
    was proved. `masked` is the body without the secrets a sender put into it, once it is read. `probing`
    is the one delivery that a paused source lets through to see if it is well. `charged` is one that its
    lane has let pass. `trace` has a line for each rule of the source that was asked.
    """

    incoming: Incoming
    id: str = field(default_factory=lambda: ids.new("delivery"))
    started: float = field(default_factory=time.monotonic)
    source: FoundSource | None = None
    verified: bool = False
    trust: str | None = None
    event_type: str | None = None
    sender_id: str | None = None
    subject: str | None = None
    diagnosis: str | None = None
    replay_of: str | None = None
    probing: bool = False
    charged: bool = False
    masked: bytes | None = None
    keys: dict[str, int | None] = field(default_factory=dict)
    trace: list[dict[str, Any]] = field(default_factory=list)

    @cached_property
    def body_sha256(self) -> str:
        """SHA-256 of the raw body, hex; of one that was not read whole nobody knows it."""
        return "" if self.incoming.problem else hashlib.sha256(self.incoming.raw).hexdigest()

    @property
    def kept_raw(self) -> bytes:
        """The body as it is kept and shown."""
        return self.incoming.raw if self.masked is None else self.masked

    @property
    def duration_ms(self) -> int:
        """Milliseconds since the request was taken up."""
        return round((time.monotonic() - self.started) * 1000)

    def safe_headers(self) -> dict[str, Any]:
        """The headers fit to keep and show: bounded, credentials and signatures replaced."""
        kept = {}
        # the content type first: a todo's payload cannot be read without it
        given = sorted(self.incoming.headers.items(), key=lambda pair: pair[0] != "Content-Type")
        for name, value in given[:MAX_HEADERS]:
            shown, secret = _header(name)
            kept[shown] = HIDDEN if secret else _TOKEN_IN_URL.sub(HIDDEN, clean(value, MAX_HEADER))
        return kept


@lru_cache(maxsize=512)  # senders send the same few names again and again
def _header(name: str) -> tuple[str, bool]:
    """How a header's name is shown, and whether its value is a secret."""
    return one_line(name, 100), _SECRET.search(name) is not None
