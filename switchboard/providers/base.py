"""The contract between the product and a provider: dataclasses in, dataclasses out.

A provider module translates and nothing else. It sees headers, parsed bodies and validated addresses,
never a model, a session or Flask; timeouts, retries and the address guard live in `lib/http.py`.
To add a provider: one file here, one line in `providers/__init__.py`, samples in `tests/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib.crypto import hmac_sha256, same
from switchboard.lib.http import Answer, Client

REPO = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}", re.ASCII)
_SAFE_CODE = re.compile(r"[^A-Za-z0-9_.-]+")
MAX_CODE = 64
MAX_OBJECT_ID = 128
MAX_RETRY_AFTER_SECONDS = 3600


# ── inbound ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Address:
    """Where an answer goes: `kind`, its `fields`, a `display` for humans, and the `key` echoes match."""

    kind: str
    provider: str
    fields: Mapping[str, Any]
    display: str
    key: str

    def as_dict(self) -> dict[str, Any]:
        """The JSON stored on the todo and shown to agents."""
        return {
            "kind": self.kind,
            "provider": self.provider,
            **self.fields,
            "display": self.display,
            "key": self.key,
        }


@dataclass(frozen=True)
class Origin:
    """What a human pinned when adding the source: the host it speaks for."""

    host: str


@dataclass(frozen=True)
class Event:
    """A delivery understood.

    `makes_todo` is False for a provider's test message; `object_id` names the provider's own object
    the event is about (a comment's id) and `author_text` its text, both for echo suppression.
    """

    kind: str
    title: str
    subject: str | None = None
    address: Address | None = None
    repo: str | None = None
    object_id: str | None = None
    text: str | None = None
    makes_todo: bool = True


# ── outbound ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Credential:
    """A connection opened for one call; the secret stays out of `repr`."""

    account_key: str
    secret: str = field(repr=False)


@dataclass(frozen=True)
class Posted:
    """What a provider answered to a post: one of sent, failed or unknown."""

    state: str
    object_id: str | None = None
    permalink: str | None = None
    error_class: str | None = None
    error_code: str | None = None
    retry_after: int | None = None


@dataclass(frozen=True)
class Identity:
    """What a connection's test read: who the credential belongs to, or why it fails."""

    ok: bool
    identity: str | None = None
    error_class: str | None = None
    error_code: str | None = None


class Provider(Protocol):
    """One kind of source and, where it can be answered, of connection."""

    kind: str
    label: str
    default_host: str

    def verify(self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str]) -> None:
        """Raise Unauthenticated unless `raw` is signed with one of `secrets`."""

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str:
        """The sender's own id of this delivery. Raises Invalid `missing_delivery_id`."""

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The event's name as the sender says it, None when it does not."""

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """The delivery as an event. Raises Invalid `unmappable` naming the missing field."""

    def steps(self, ingest_url: str) -> list[str]:
        """Where to click at the provider, in order; plain sentences."""

    def host_of(self, account_key: str) -> str:
        """An account key in the form it is compared in. Raises Invalid when it is malformed."""

    def address_host(self, reply_to: Mapping[str, Any]) -> str:
        """The part of a reply address that selects the connection, comparable with `host_of`."""

    def target_of(self, reply_to: Mapping[str, Any]) -> str:
        """The part of a reply address that a connection's targets allowlist is matched against."""

    def check_text(self, text: str) -> None:
        """Raise Invalid when the provider would refuse `text` for its length."""

    def post(
        self, http: Client, credential: Credential, reply_to: Mapping[str, Any], text: str
    ) -> Posted:
        """Post `text` to the address, once. Raises OutboundError where no answer came."""

    def probe(self, http: Client, credential: Credential) -> Identity:
        """One harmless authenticated read. Raises OutboundError where no answer came."""


# ── shared translations ──────────────────────────────────────────────────────────────────────────


def verify_hex_hmac(header: str | None, name: str, raw: bytes, secrets: Sequence[str]) -> None:
    """Check `sha256=<hex HMAC-SHA256>` in constant time.

    Raises Unauthenticated `missing_signature` or `bad_signature`. Compares bytes, as a header may
    hold any character.
    """
    if not header:
        raise Unauthenticated(f"The {name} header is missing.", "missing_signature", field=name)
    given = header.encode("utf-8", "replace")
    good = [same(given, b"sha256=" + hmac_sha256(secret, raw).hex().encode()) for secret in secrets]
    if not any(good):
        raise Unauthenticated(
            f"The {name} header does not match the body and the source's secret.",
            "bad_signature",
            field=name,
        )


def unmappable(field_name: str) -> Invalid:
    """The refusal of a body that lacks `field_name` or holds something else there."""
    return Invalid(f"The body has no usable {field_name}.", "unmappable", field=field_name)


def valid_repo(text: object) -> bool:
    """Two segments of `[A-Za-z0-9._-]`, neither of them `.` or `..`."""
    return (
        isinstance(text, str)
        and REPO.fullmatch(text) is not None
        and not {".", ".."} & set(text.split("/"))
    )


def refused(answer: Answer, code: str | None) -> Posted:
    """An answer that is not a success, as the closed vocabulary of error classes.

    `code` is the provider's own short code, None when it gave none. 5xx leaves it open whether the
    post was made, so it is `unknown`.
    """
    if answer.status >= 500:
        return Posted("unknown", error_class="server", error_code=safe_code(str(answer.status)))
    pause = retry_after(answer)
    error_class = {401: "auth", 403: "forbidden", 404: "not_found", 410: "not_found"}.get(
        answer.status, "invalid"
    )
    if answer.status == 429 or (answer.status == 403 and pause is not None):
        error_class = "rate_limited"
    if 300 <= answer.status < 400:
        code = "redirect"
    return Posted(
        "failed",
        error_class=error_class,
        error_code=safe_code(code or str(answer.status)),
        retry_after=pause if error_class == "rate_limited" else None,
    )


def safe_code(code: str) -> str:
    """A provider's code cut to 64 characters of `[A-Za-z0-9_.-]`."""
    return _SAFE_CODE.sub("_", code)[:MAX_CODE]


def retry_after(answer: Answer) -> int | None:
    """Seconds of a Retry-After header (RFC 9110, delta form), counted up to an hour; else None."""
    raw = answer.headers.get("Retry-After", "").strip()
    if not (raw.isascii() and raw.isdigit()):
        return None
    return min(int(raw[:9]), MAX_RETRY_AFTER_SECONDS)
