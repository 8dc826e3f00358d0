"""Mail as a source: the built-in sources by which answers come in, one for each way (docs/mail.md).

What a mail or an event of a notify service says is read in `switchboard/mail/`; here is what every
source has to have, and how the ways are signed.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib.crypto import same
from switchboard.providers import signed_schemes
from switchboard.providers.base import Event, Origin, Sample, ShellSignature, Speaks
from switchboard.providers.notify import SIGNATURE, TIMESTAMP
from switchboard.providers.signing import (
    SEEN_SECONDS,
    bad_signature,
    check_any,
    check_time,
    hex_hmac,
    missing_signature,
    unix_time,
    unreadable_time,
)

SECRET_HEADER = "X-Inbound-Secret"  # noqa: S105  (a header's name)


@dataclass(frozen=True)
class Transport:
    """One way by which mail comes in: its name, the path it is posted to, how to set it up."""

    name: str
    path: str
    steps: tuple[str, ...]


SMTP = Transport(
    "smtp",
    "",
    (
        "Set SWITCHBOARD_INBOUND_DOMAIN and SWITCHBOARD_SMTP_LISTEN, and start the box again.",
        "Point the MX record of the domain at this machine. No secret is needed: recipients carry one.",
    ),
)
RAW = Transport(
    "raw",
    "/api/v1/inbound/email",
    (
        "Rotate this source to get its secret, shown once: until then everything is refused.",
        f"Post each mail as it is (message/rfc822) to the address above, with {SECRET_HEADER}, "
        "and its envelope recipient in X-Envelope-To.",
    ),
)
POSTMARK = Transport(
    "postmark",
    "/api/v1/inbound/email/postmark",
    (
        "Rotate this source to get its secret, shown once: until then everything is refused.",
        "At Postmark, set the inbound webhook to the address above with switchboard:SECRET@ before the "
        "host, the secret percent-encoded, and tick “Include raw email content in JSON payload”.",
    ),
)
NOTIFY = Transport(
    "notify",
    "/api/v1/notify/events",
    (
        "Register the address above on the service's delivery stream.",
        "Rotate this source and give it the secret that the service shows once: until then everything "
        "is refused.",
    ),
)
TRANSPORTS: Mapping[str, Transport] = {each.name: each for each in (SMTP, RAW, POSTMARK, NOTIFY)}


def verify(
    transport: Transport,
    headers: Mapping[str, str],
    raw: bytes,
    secrets: Sequence[str],
    now: datetime,
) -> None:
    """Raise Unauthenticated unless a request by that way proves itself; SMTP's recipients do that later."""
    if transport is NOTIFY:
        _verify_notify(headers, raw, secrets, now)
    elif transport is POSTMARK:
        _check_secret("Authorization", _password(headers), secrets)
    elif transport is RAW and headers.get(SECRET_HEADER):
        _check_secret(SECRET_HEADER, headers[SECRET_HEADER], secrets)
    elif transport is RAW:
        _verify_signed(headers, raw, secrets, now)


def keys(transport: Transport, headers: Mapping[str, str]) -> Mapping[str, int | None]:
    """What beside its message tells a repeat: the signature of a notify service, while its time is good."""
    return {f"signature:{headers.get(SIGNATURE)}": SEEN_SECONDS} if transport is NOTIFY else {}


def _verify_notify(
    headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
) -> None:
    given, said = headers.get(SIGNATURE), headers.get(TIMESTAMP)
    if not given or not said:
        raise missing_signature(TIMESTAMP if given else SIGNATURE)
    if (moment := unix_time(said)) is None:
        raise unreadable_time(TIMESTAMP)
    wanted = ("sha256=" + hex_hmac(each, f"{said}.".encode() + raw) for each in secrets)
    check_any(SIGNATURE, given, wanted)
    check_time(TIMESTAMP, moment, now)


def _verify_signed(
    headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
) -> None:
    try:
        signed_schemes.verify(headers, raw, secrets, now)
    except Unauthenticated as problem:
        if problem.code == "missing_signature":
            raise missing_signature(SECRET_HEADER) from None
        raise


def _password(headers: Mapping[str, str]) -> str | None:
    """The password of HTTP's basic authentication, whoever the user is."""
    scheme, _, encoded = headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None
    return decoded.partition(":")[2]


def _check_secret(header: str, given: str | None, secrets: Sequence[str]) -> None:
    if not given:
        raise missing_signature(header)
    said = given.encode("utf-8", "replace")
    good = [same(said, each.encode()) for each in secrets]
    if not any(good):
        raise bad_signature(header)


class Email:
    """The kind of the built-in sources. Nobody adds one, and none has a secret address."""

    kind = "email"
    label = "Mail"
    default_host = ""
    speaks: Speaks | None = None
    signing_help = (
        "Leave it empty and one is made, or give the secret that a notify service showed."
    )
    default_letters = "cflax"
    signs = True
    filed = False
    pins_repos = False
    shell: ShellSignature | None = None
    secret_fields: tuple[str, ...] = ()

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Never good: mail comes by the ways of TRANSPORTS, not by a source's own address."""
        raise missing_signature(SECRET_HEADER)

    def hashed(
        self, headers: Mapping[str, str], raw: bytes, secret: str
    ) -> tuple[bytes, bytes] | None:
        """None."""
        return None

    def sign(self, sample: Sample, secret: str, now: datetime) -> dict[str, str]:
        """Raise Invalid: there is no test message."""
        raise _no_test()

    def sample(self, host: str, delivery_id: str) -> Sample:
        """Raise Invalid: there is no test message."""
        raise _no_test()

    def delivery_id(self, headers: Mapping[str, str], body: Any) -> str | None:
        """None."""
        return None

    def keys(
        self, headers: Mapping[str, str], body: Any, body_sha256: str
    ) -> Mapping[str, int | None]:
        """None."""
        return {}

    def event_type(self, headers: Mapping[str, str], body: Any) -> str | None:
        """None."""
        return None

    def understand(self, headers: Mapping[str, str], body: Any, origin: Origin) -> Event:
        """Raise Invalid `unmappable`: a mail is not sent through again, as its bytes are not kept."""
        raise Invalid(
            "A mail cannot be replayed; whoever wrote it can send it again.", "unmappable"
        )

    def steps(self, ingest_url: str) -> list[str]:
        """What to do, by the way that the address is of."""
        longest = sorted(TRANSPORTS.values(), key=lambda each: -len(each.path))
        found = next(each for each in longest if ingest_url.endswith(each.path))
        return list(found.steps)

    def source_host(self, text: str) -> str:
        """Nothing. Raises Invalid when something is given."""
        if text:
            raise Invalid("Mail speaks for no host; leave it out.", field="host")
        return ""


def _no_test() -> Invalid:
    return Invalid(
        "There is no test message for mail: answer a notification instead.", field="kind"
    )
