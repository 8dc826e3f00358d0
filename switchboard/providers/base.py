"""The contract between the product and a provider: dataclasses in, dataclasses out.

A provider module translates and nothing else. It sees headers, parsed bodies and validated addresses,
never a model, a session or Flask; timeouts, retries and the address guard live in `lib/http.py`.
A kind may write in (`SourceKind`), be posted to (`ConnectionKind`), or both; where an answer can go
it is an `Answering`, and else a sink that notifications go to.
To add one: one file here, one line in `providers/__init__.py`, samples in `tests/payloads/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from switchboard.lib.http import Client

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
    """What a human pinned when adding the source: the host it speaks for ("" where none is needed)."""

    host: str


@dataclass(frozen=True)
class Ticket:
    """A thread that the delivery opens."""

    title: str
    body: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remark:
    """A comment that the delivery makes on the ticket of that number."""

    ticket: int
    body: str


@dataclass(frozen=True)
class Check:
    """A verdict that the delivery reports on a commit."""

    commit: str
    name: str
    state: str
    url: str | None = None
    summary: str | None = None


@dataclass(frozen=True)
class Event:
    """A delivery understood.

    `letter` is the capability that what it becomes needs, None for a provider's test message, which
    makes nothing. `artifact` is what Switchboard keeps of it beside todos. `object_id` names the
    provider's own object the event is about (a comment's id), `text` is its text, `author` the account of
    the person who wrote it and `bot_id` the bot that did: for echo suppression, and to know a person's
    words. `answer`, when set, is the whole body of the 200 that the
    sender waits for.
    """

    kind: str
    title: str
    subject: str | None = None
    letter: str | None = "n"
    address: Address | None = None
    repo: str | None = None
    object_id: str | None = None
    text: str | None = None
    author: str | None = None
    bot_id: str | None = None
    artifact: Ticket | Remark | Check | None = None
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Sample:
    """A harmless message of a kind, as its sender would make it: headers without a signature, and body."""

    headers: Mapping[str, str]
    raw: bytes


@dataclass(frozen=True)
class ShellSignature:
    """How a shell signs a body with openssl: HMAC-SHA256 under the secret's text, in hex.

    `before` is signed in front of the body. In it and in `headers` stand `$now` (unix seconds) and `$id`
    (the sender's id of the delivery), in `headers` also `$signature`. `note` is for who pastes it.
    """

    headers: Mapping[str, str]
    before: str = ""
    note: str = ""


@dataclass(frozen=True)
class Speaks:
    """What a source of a kind is told to speak for, in a form's words."""

    label: str
    help: str
    example: str


class SourceKind(Protocol):
    """One kind of source: who may write in, and what it says."""

    kind: str
    label: str
    default_host: str  # what a source speaks for unless told; "" where somebody has to say
    speaks: Speaks | None  # None: for nobody but itself
    signing_help: str  # where the provider's own secret is found; "" where one is made here
    default_letters: str
    signs: bool  # False: its URL alone lets it in, and nothing it says is verified
    filed: bool  # True: it belongs to a repo and is addressed by name, not by a secret URL
    pins_repos: bool  # whether it names repositories, so that a human can pin some
    shell: ShellSignature | None  # None where it does not sign
    secret_fields: tuple[str, ...]  # members at the top of a body that hold a secret: never kept

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Raise Unauthenticated unless `raw` is signed with one of `secrets`, and lately.

        `missing_signature`, `bad_signature`, or `stale_timestamp` for a good signature out of its time.
        """

    def hashed(
        self, headers: Mapping[str, str], raw: bytes, secret: str
    ) -> tuple[bytes, bytes] | None:
        """Key and text of the HMAC that signs such a request; None where this secret can sign none."""

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """The sample's headers together with a good signature."""

    def sample(self, host: str, delivery_id: str) -> Sample:
        """A test message from that host, which makes nothing."""

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The sender's own id of this delivery. Raises Invalid `missing_delivery_id` where it is a must."""

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """What beside the id tells a repeat: key → seconds it holds.

        None: as long as the record. Such a key names the thing a delivery is about, and only one that
        made something of it holds it.
        """

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The event's name as the sender says it, None when it does not."""

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """The delivery as an event. Raises Invalid `unmappable` naming the missing field."""

    def steps(self, ingest_url: str) -> list[str]:
        """Where to click at the provider, in order; plain sentences."""

    def source_host(self, text: str) -> str:
        """What a source is told to speak for, in the form it is compared in. Raises Invalid."""


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
    """What a connection's test read: who the credential belongs to, or why it fails.

    `bot_id` is the id under which its posts come back as events, where a provider has such.
    """

    ok: bool
    identity: str | None = None
    error_class: str | None = None
    error_code: str | None = None
    bot_id: str | None = None


@dataclass(frozen=True)
class Asks:
    """What a person is asked for when adding a connection of a kind, in plain words.

    `account` is the label of the account key, `example` one that could be; `target_help` says what
    answers can be narrowed to, "" where none can go.
    """

    account: str
    account_help: str
    example: str
    credential_help: str
    target_help: str = ""


class ConnectionKind(Protocol):
    """One kind of connection: whose it is, and whether its credential works."""

    kind: str
    label: str
    default_host: str
    asks: Asks

    def host_of(self, account_key: str) -> str:
        """An account key in the form it is compared in. Raises Invalid when it is malformed."""

    def probe(self, http: Client, credential: Credential) -> Identity:
        """One harmless authenticated call. Raises OutboundError where no answer came."""


class Answering(ConnectionKind, Protocol):
    """A kind of connection that carries answers to where the work came from.

    `exact_targets` says that its targets are ids, in which case matters.
    """

    exact_targets: bool

    def address_host(self, reply_to: Mapping[str, Any]) -> str:
        """The part of a reply address that selects the connection, comparable with `host_of`."""

    def target_of(self, reply_to: Mapping[str, Any]) -> str:
        """The part of a reply address that a connection's targets allowlist is matched against."""

    def work_item(self, reply_to: Mapping[str, Any]) -> str:
        """The address as a work item is called, without its kind, such as `acme/rocket#7`.

        What is one conversation at the provider is called in one way.
        """

    def address_called(self, item: str) -> Address | None:
        """The address of the work item called so, in whatever way; None where that is no name of one."""

    def check_text(self, text: str) -> None:
        """Raise Invalid when the provider would refuse `text` for its length."""

    def post(
        self, http: Client, credential: Credential, reply_to: Mapping[str, Any], text: str
    ) -> Posted:
        """Post `text` to the address, once. Raises OutboundError where no answer came."""
