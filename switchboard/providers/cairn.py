"""Cairn: webhooks in, comments on artifacts out. All that is known of Cairn stands in this file.

It signs the raw body, which carries the event's id and time. A comment is posted as `{"body": …}` and
answered with its `id` and `url`; a refusal says `{"error": {"code": …}}`, or `code` at the top. The
instance's own documentation counts where it differs: its pages Outbound webhooks and Troubleshooting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib import clock, payload
from switchboard.lib.http import Answer, Client
from switchboard.lib.text import one_line
from switchboard.providers import forge
from switchboard.providers.answers import identity, refused, safe_code
from switchboard.providers.base import (
    Address,
    Asks,
    Credential,
    Event,
    Identity,
    Origin,
    Posted,
    Sample,
    ShellSignature,
    Speaks,
)
from switchboard.providers.reading import (
    MAX_TITLE,
    event_name,
    host_of_url,
    mapping,
    object_id,
    permalink,
    plain_id,
    unmappable,
)
from switchboard.providers.signing import (
    SEEN_SECONDS,
    check_any,
    check_time,
    hex_hmac,
    missing_signature,
)

SIGNATURE = "X-Cairn-Signature"
EVENT_ID, EVENT = "X-Cairn-Event-Id", "X-Cairn-Event"
ACCOUNT_HELP = "Give the instance's base URL, such as https://cairn.example.org."
MAX_NAME = 100
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)
_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE
)


class Cairn:
    """A Cairn instance, told by the base URL given when the source is added."""

    kind = "cairn"
    label = "Cairn"
    exact_targets = True
    default_host = ""
    speaks: Speaks | None = Speaks(
        "Base URL",
        "The Cairn instance it speaks for. A body that names another gets no reply address.",
        "https://cairn.example.org",
    )
    signing_help = ""
    default_letters = "n"
    signs = True
    filed = False
    pins_repos = False
    shell: ShellSignature | None = ShellSignature(
        {SIGNATURE: "sha256=$signature"},
        note="Cairn signs the time in the body, so it is taken within five minutes of that only.",
    )
    secret_fields: tuple[str, ...] = ()
    asks = Asks(
        account="Base URL",
        account_help="The Cairn instance's, with its path if it has one.",
        example="https://cairn.example.org",
        credential_help="A token that may comment on artifacts.",
        target_help="Which artifacts may be answered, by their ids, one a line. "
        "Empty: every artifact this credential reaches.",
    )

    # inbound

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Check X-Cairn-Signature, then what it covers: the event's id and its time.

        A header X-Cairn-Event-Id that names another event than the body is a `bad_signature`: nobody
        signed that id, and a 401 leaves the signed one to its true delivery. A body that is no JSON,
        or says no time, is left to be refused as what it is.
        """
        header = headers.get(SIGNATURE)
        if not header:
            raise missing_signature(SIGNATURE)
        check_any(SIGNATURE, header, (f"sha256={hex_hmac(secret, raw)}" for secret in secrets))
        body = _read(headers, raw)
        said, signed = headers.get(EVENT_ID), body.get("event_id")
        if said and isinstance(signed, str) and said.strip() != signed.strip():
            raise Unauthenticated(
                f"The {EVENT_ID} header names another event than the signed body.",
                "bad_signature",
                field=EVENT_ID,
            )
        if (moment := _created_at(body)) is not None:
            check_time("created_at", moment, now)

    def hashed(self, headers: Mapping[str, str], raw: bytes, secret: str) -> tuple[bytes, bytes]:
        """The body as it is."""
        return secret.encode(), raw

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """With X-Cairn-Signature."""
        return {**sample.headers, SIGNATURE: f"sha256={hex_hmac(secret, sample.raw)}"}

    def sample(self, host: str, delivery_id: str) -> Sample:
        """A ping of this moment."""
        body = {"event_id": delivery_id, "created_at": clock.iso(clock.now()), "kind": "ping"}
        headers = {"Content-Type": "application/json", EVENT: "ping", EVENT_ID: delivery_id}
        return Sample(headers, json.dumps(body).encode())

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The signed `event_id`; None in a body that is no object, which is refused for that."""
        if not isinstance(body, dict):
            return None
        given = plain_id(body.get("event_id"))
        if given is None:
            raise Invalid(
                "The body's event_id is missing or not a plain id.",
                "missing_delivery_id",
                field="event_id",
            )
        return given

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """The signature, for twice the window."""
        header = headers.get(SIGNATURE)
        return {f"signature:{header}": SEEN_SECONDS} if header else {}

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The body's `kind`; where there is none, what X-Cairn-Event says."""
        return event_name(mapping(body).get("kind"), dotted=True) or event_name(
            headers.get(EVENT), dotted=True
        )

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """Event kind, title, subject and reply address, all from the verified body."""
        if not isinstance(body, dict):
            raise unmappable("object at the top")
        kind = event_name(body.get("kind"), dotted=True)
        if kind is None:
            raise unmappable("kind")
        if _created_at(body) is None:
            raise unmappable("created_at")
        if kind == "ping":
            return Event(kind, "Cairn ping", letter=None)
        artifact, comment = mapping(body.get("artifact")), mapping(body.get("comment"))
        if kind.startswith("artifact.") and not artifact:
            raise unmappable("artifact")
        address = _address(artifact, origin) if kind.startswith("artifact.") else None
        return Event(
            kind,
            title=_title(kind, artifact),
            subject=_subject(artifact),
            address=address,
            object_id=_comment_id(comment.get("id")),
            text=comment["body"] if isinstance(comment.get("body"), str) else None,
            author=_person(comment.get("author")),
        )

    def steps(self, ingest_url: str) -> list[str]:
        """Where to click in Cairn."""
        return [
            "Open Cairn: Settings → Outbound subscriptions → New subscription.",
            f"Target URL: {ingest_url}",
            "Secret: paste the secret shown here once; if Cairn made one of its own, rotate this "
            "source to that one.",
            "Choose the events: artifacts created and commented on are the ones agents answer.",
            "Save. Cairn's clock and this one must agree within five minutes.",
        ]

    def source_host(self, text: str) -> str:
        """host[:port] of a base URL or of a host."""
        return forge.read_account(text, ACCOUNT_HELP).host

    # outbound

    def host_of(self, account_key: str) -> str:
        """host[:port] of the base URL."""
        return forge.read_account(account_key, ACCOUNT_HELP).host

    def address_host(self, reply_to: Mapping[str, Any]) -> str:
        """host[:port] of the instance."""
        return host_of_url(reply_to["instance"]) or ""

    def target_of(self, reply_to: Mapping[str, Any]) -> str:
        """The artifact's id."""
        return str(reply_to["artifact_id"])

    def work_item(self, reply_to: Mapping[str, Any]) -> str:
        """`host/artifact`."""
        return f"{self.address_host(reply_to)}/{reply_to['artifact_id']}"

    def address_called(self, item: str) -> Address | None:
        """The artifact of that name; how its instance is spoken to, the connection says."""
        host, _, artifact_id = item.rpartition("/")
        instance = f"https://{host.lower()}"
        return (
            _spot(instance, artifact_id) if host_of_url(instance) and _plain(artifact_id) else None
        )

    def check_text(self, text: str) -> None:
        """Cairn has no limit below our own."""

    def post(
        self, http: Client, credential: Credential, reply_to: Mapping[str, Any], text: str
    ) -> Posted:
        """POST /v1/artifacts/{id}/comments."""
        path = f"/v1/artifacts/{reply_to['artifact_id']}/comments"
        answer = _call(http, credential, "POST", path, json={"body": text})
        if answer.status != 201:
            return refused(answer, _error_code(answer))
        made = mapping(answer.json())
        return Posted(
            "sent",
            object_id=_comment_id(made.get("id")),
            permalink=permalink(made.get("url"), self.host_of(credential.account_key)),
        )

    def probe(self, http: Client, credential: Credential) -> Identity:
        """GET /v1/me."""
        answer = _call(http, credential, "GET", "/v1/me")
        found = answer.json()
        named = mapping(found).get("name") or mapping(found).get("login")
        # who answers with an object is a Cairn, also where it names nobody
        name = named if isinstance(named, str) else "" if isinstance(found, dict) else None
        return identity(answer, name, _error_code(answer), "not_cairn")


def _call(http: Client, credential: Credential, method: str, path: str, **body: Any) -> Answer:
    base = forge.read_account(credential.account_key, ACCOUNT_HELP).base
    headers = {"Authorization": f"Bearer {credential.secret}", "Accept": "application/json"}
    return http.request(method, base + path, headers=headers, **body)


def _error_code(answer: Answer) -> str | None:
    said = mapping(answer.json())
    code = mapping(said.get("error")).get("code") or said.get("code")
    return safe_code(code) if isinstance(code, str) and code else None


def _read(headers: Mapping[str, str], raw: bytes) -> dict[str, Any]:
    """The body as the pipeline will read it; empty when it is no JSON object."""
    try:
        return mapping(payload.read(headers.get("Content-Type", ""), raw))
    except ValueError:
        return {}


def _created_at(body: Mapping[str, Any]) -> datetime | None:
    """The signed time, or None when it is no RFC 3339."""
    text = body.get("created_at")
    if not isinstance(text, str) or not _RFC3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:  # the 31st of February
        return None


def _plain(value: object) -> str | None:
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def _comment_id(value: object) -> str | None:
    return _plain(value) or object_id(value)


def _person(name: object) -> str | None:
    return one_line(name, MAX_NAME) or None if isinstance(name, str) else None


def _address(artifact: Mapping[str, Any], origin: Origin) -> Address | None:
    artifact_id, url = _plain(artifact.get("id")), artifact.get("url")
    host = host_of_url(url)
    if artifact_id is None or host is None or host != origin.host:
        return None
    return _spot(f"{urlsplit(str(url)).scheme}://{host}", artifact_id)


def _spot(instance: str, artifact_id: str) -> Address:
    return Address(
        kind="cairn_comment",
        provider="cairn",
        fields={"instance": instance, "artifact_id": artifact_id},
        display=f"cairn {artifact_id}",
        key=f"cairn:{host_of_url(instance)}/{artifact_id}",
    )


def _title(kind: str, artifact: Mapping[str, Any]) -> str:
    given = artifact.get("title")
    title = one_line(given, MAX_TITLE) if isinstance(given, str) else ""
    return title or " ".join(filter(None, [kind, _plain(artifact.get("id"))]))


def _subject(artifact: Mapping[str, Any]) -> str | None:
    """host/artifact, as a work item is called."""
    host, artifact_id = host_of_url(artifact.get("url")), _plain(artifact.get("id"))
    return artifact_id if host is None or artifact_id is None else f"{host}/{artifact_id}"
