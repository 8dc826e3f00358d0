"""Signed sources: a CI job or a script that signs for itself, filed under a repo.

docs/signing.md is the sender's side of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from switchboard.errors import Invalid
from switchboard.providers import signed_bodies, signed_schemes
from switchboard.providers.base import Event, Origin, Sample, ShellSignature, Speaks
from switchboard.providers.reading import event_name, mapping, missing_id, plain_id
from switchboard.providers.signed_schemes import OWN, scheme_of


class Signed:
    """Whoever holds the source's secret. Answers go on the ticket's thread, so there is no address."""

    kind = "signed"
    label = "Signed (CI, scripts)"
    default_host = ""
    speaks: Speaks | None = None
    signing_help = ""
    default_letters = ""
    signs = True
    filed = True
    pins_repos = False
    shell: ShellSignature | None = ShellSignature(
        {OWN.id: "$id", OWN.timestamp: "$now", OWN.signature: "sha256=$signature"}, before="$now."
    )
    secret_fields: tuple[str, ...] = ()

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """By X-Switchboard-Inbound or by webhook-signature."""
        signed_schemes.verify(headers, raw, secrets, now)

    def hashed(
        self, headers: Mapping[str, str], raw: bytes, secret: str
    ) -> tuple[bytes, bytes] | None:
        """What the request's scheme signs."""
        return scheme_of(headers).hashed(headers, raw, secret)

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """By our own scheme, which any secret can."""
        delivery_id = sample.headers[OWN.id]
        return {**sample.headers, **OWN.sign(sample.raw, secret, delivery_id, now)}

    def sample(self, host: str, delivery_id: str) -> Sample:
        """A body of the kind `ping`, its own by its id: the same one signed twice is a repeat."""
        headers = {"Content-Type": "application/json", OWN.id: delivery_id}
        return Sample(headers, json.dumps({"kind": signed_bodies.PING, "id": delivery_id}).encode())

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """X-Switchboard-Delivery, or webhook-id."""
        name = scheme_of(headers).id
        given = plain_id(headers.get(name))
        if given is None:
            raise missing_id(name)
        return given

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """The signature where the id is not signed."""
        return scheme_of(headers).keys(headers)

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """The body's kind."""
        return event_name(mapping(body).get("kind"))

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """A ticket, a comment or a check, all from the verified body."""
        return signed_bodies.understand(body)

    def steps(self, ingest_url: str) -> list[str]:
        """What the sender does."""
        return [
            "Keep the secret shown here once where the job finds it, in a file that only it can read.",
            'Write what you have to say, for example {"kind": "ticket", "title": "Nightly run failed"}, '
            "into a file.",
            "python -m switchboard sign --secret-file SECRET --body FILE "
            f"--url {ingest_url} signs and sends it.",
            "Without Switchboard at hand, sign with openssl or any Standard Webhooks library: "
            "docs/signing.md has both, with test vectors.",
        ]

    def source_host(self, text: str) -> str:
        """Nothing: it speaks for itself. Raises Invalid when one is given."""
        if text:
            raise Invalid("A signed source speaks for no host; leave it out.", field="host")
        return ""
