"""The two ways to sign for a `signed` source: our own scheme, and Standard Webhooks.

docs/signing.md tells both with test vectors;
https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

A request with both sets of headers is judged by our own alone: one scheme proves it, and names it.
"""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from switchboard.errors import Invalid, Unauthenticated
from switchboard.lib.crypto import same
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

PREFIX = "whsec_"


class Scheme(Protocol):
    """One set of headers: `signature` proves the request, `id` is the sender's own for it."""

    signature: str
    timestamp: str
    id: str

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """Raise Unauthenticated unless one of `secrets` signed it, within 300 s of now."""

    def hashed(
        self, headers: Mapping[str, str], raw: bytes, secret: str
    ) -> tuple[bytes, bytes] | None:
        """Key and text of the HMAC; None where this secret has no key for it."""

    def sign(self, raw: bytes, secret: str, delivery_id: str, now: datetime) -> dict[str, str]:
        """The three headers. Raises Invalid for a secret that cannot sign so."""

    def keys(self, headers: Mapping[str, str]) -> Mapping[str, int | None]:
        """What tells a repeat beside the id."""


class Own:
    """`sha256=` + hex HMAC-SHA256 of timestamp, dot and body, under the bytes of the secret's text."""

    signature = "X-Switchboard-Inbound"
    timestamp = "X-Switchboard-Inbound-Timestamp"
    id = "X-Switchboard-Delivery"

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """See Scheme."""
        said, moment = _moment(headers, self.timestamp)
        wanted = (self._value(secret, said, raw) for secret in secrets)
        check_any(self.signature, headers[self.signature], wanted)
        check_time(self.timestamp, moment, now)

    def hashed(
        self, headers: Mapping[str, str], raw: bytes, secret: str
    ) -> tuple[bytes, bytes] | None:
        """See Scheme."""
        return secret.encode(), self._text(headers.get(self.timestamp, ""), raw)

    def sign(self, raw: bytes, secret: str, delivery_id: str, now: datetime) -> dict[str, str]:
        """See Scheme."""
        said = str(int(now.timestamp()))
        return {
            self.signature: self._value(secret, said, raw),
            self.timestamp: said,
            self.id: delivery_id,
        }

    def keys(self, headers: Mapping[str, str]) -> Mapping[str, int | None]:
        """The signature while its time is good: the id is not signed."""
        return {f"signature:{headers.get(self.signature)}": SEEN_SECONDS}

    def _value(self, secret: str, said: str, raw: bytes) -> str:
        return "sha256=" + hex_hmac(secret, self._text(said, raw))

    def _text(self, said: str, raw: bytes) -> bytes:
        return said.encode("utf-8", "replace") + b"." + raw


class Standard:
    """`v1,` + base64 HMAC-SHA256 of id, timestamp and body, under the decoded bytes of the secret."""

    signature = "webhook-signature"
    timestamp = "webhook-timestamp"
    id = "webhook-id"

    def verify(
        self, headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime
    ) -> None:
        """See Scheme. The header may hold several signatures, one for each secret of a rotation."""
        delivery_id = headers.get(self.id)
        if not delivery_id:
            raise missing_signature(self.id)
        said, moment = _moment(headers, self.timestamp)
        keys = [key for secret in secrets if (key := _key(secret)) is not None]
        if not keys:
            raise Unauthenticated(_NOT_STANDARD, "bad_signature", field=self.signature)
        wanted = [self._value(key, delivery_id, said, raw).encode() for key in keys]
        given = headers[self.signature].encode("utf-8", "replace").split(b" ")
        matches = [same(each, good) for each in given for good in wanted]
        if not any(matches):
            raise bad_signature(self.signature)
        check_time(self.timestamp, moment, now)

    def hashed(
        self, headers: Mapping[str, str], raw: bytes, secret: str
    ) -> tuple[bytes, bytes] | None:
        """See Scheme."""
        text = self._text(headers.get(self.id, ""), headers.get(self.timestamp, ""), raw)
        return None if (key := _key(secret)) is None else (key, text)

    def sign(self, raw: bytes, secret: str, delivery_id: str, now: datetime) -> dict[str, str]:
        """See Scheme."""
        key, said = _key(secret), str(int(now.timestamp()))
        if key is None:
            raise Invalid(_NOT_STANDARD, field="secret")
        return {
            self.id: delivery_id,
            self.timestamp: said,
            self.signature: self._value(key, delivery_id, said, raw),
        }

    def keys(self, headers: Mapping[str, str]) -> Mapping[str, int | None]:
        """None: the id is signed."""
        return {}

    def _value(self, key: bytes, delivery_id: str, said: str, raw: bytes) -> str:
        text = self._text(delivery_id, said, raw)
        return "v1," + base64.b64encode(hmac.digest(key, text, "sha256")).decode()

    def _text(self, delivery_id: str, said: str, raw: bytes) -> bytes:
        return f"{delivery_id}.{said}.".encode("utf-8", "replace") + raw


OWN, STANDARD = Own(), Standard()
SCHEMES: Mapping[str, Scheme] = {"own": OWN, "standard": STANDARD}

_NOT_STANDARD = (
    f"The secret is not {PREFIX} followed by base64, so it has no key for Standard Webhooks. "
    "Rotate the source to a secret made here, or use the X-Switchboard-Inbound headers."
)


def scheme_of(headers: Mapping[str, str]) -> Scheme:
    """The scheme whose signature the request carries; our own where it carries none or both."""
    standard = headers.get(STANDARD.signature) and not headers.get(OWN.signature)
    return STANDARD if standard else OWN


def verify(headers: Mapping[str, str], raw: bytes, secrets: Sequence[str], now: datetime) -> None:
    """Raise Unauthenticated unless the request is signed by either scheme."""
    scheme = scheme_of(headers)
    if not headers.get(scheme.signature):
        raise Unauthenticated(
            f"The {OWN.signature} header is missing, and so is {STANDARD.signature}.",
            "missing_signature",
            field=OWN.signature,
        )
    scheme.verify(headers, raw, secrets, now)


def _moment(headers: Mapping[str, str], name: str) -> tuple[str, datetime]:
    """The signed time as it was said, and when it is."""
    said = headers.get(name)
    if not said:
        raise missing_signature(name)
    moment = unix_time(said)
    if moment is None:
        raise unreadable_time(name)
    return said, moment


def _key(secret: str) -> bytes | None:
    """The key inside a `whsec_` secret, its padding optional; None when it is none."""
    encoded = secret.removeprefix(PREFIX)
    if encoded == secret or not encoded:
        return None
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True) or None
    except (binascii.Error, ValueError):
        return None
