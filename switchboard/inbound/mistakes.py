"""The usual mistakes in signing, each made on purpose to see whether the signature fits it.

What is yielded are sentences for the record. Nothing stops at the first that fits: how long it takes
depends on the request alone, never on the secret.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from requests.structures import CaseInsensitiveDict

from switchboard.errors import Unauthenticated
from switchboard.inbound import mistaken_bodies, mistaken_forms, mistaken_secrets
from switchboard.lib.crypto import hmac_sha256
from switchboard.providers.base import Sample, SourceKind

MOST_HEADERS = 3
MOST_CHARACTERS = 200
_NAME = re.compile(r"signature|inbound$", re.IGNORECASE)


@dataclass(frozen=True)
class Request:
    """A request that did not verify; `field` is the header that was missing or wrong."""

    headers: Mapping[str, str]
    raw: bytes
    secrets: Sequence[str]
    field: str | None
    now: datetime

    def fits(
        self,
        kind: SourceKind,
        *,
        header: tuple[str, str] | None = None,
        raw: bytes | None = None,
        secrets: Sequence[str] | None = None,
    ) -> bool:
        """Whether it would be signed well if it were so; the time is no matter."""
        headers = CaseInsensitiveDict({**self.headers, **dict([header] if header else [])})
        body = self.raw if raw is None else raw
        return judged(kind, headers, body, secrets or self.secrets, self.now) is None


def judged(
    kind: SourceKind,
    headers: Mapping[str, str],
    raw: bytes,
    secrets: Sequence[str],
    now: datetime,
) -> str | None:
    """The code with which a kind refuses it, None when the signature is right, however old."""
    try:
        kind.verify(headers, raw, secrets, now)
    except Unauthenticated as problem:
        return None if problem.code == "stale_timestamp" else problem.code
    return None


def carries_one(headers: Mapping[str, str]) -> bool:
    """Whether a header looks like a signature, however long it is."""
    return any(_NAME.search(name) and value.strip() for name, value in headers.items())


def signatures(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that look like a signature and are as short as one, the first few, by name."""
    found = [(name, value.strip()) for name, value in headers.items() if _NAME.search(name)]
    return dict([pair for pair in found if 0 < len(pair[1]) <= MOST_CHARACTERS][:MOST_HEADERS])


def of_another_kind(
    kinds: Iterable[SourceKind], kind: SourceKind, request: Request
) -> Iterator[str]:
    """Is it what another provider sends?"""
    given = (request.headers, request.raw, request.secrets, request.now)
    others = [each for each in kinds if each.signs and each.kind != kind.kind]
    codes = {each.label: judged(each, *given) for each in others}
    if fitting := [label for label, code in codes.items() if code is None]:
        yield (
            f"It is signed as {' and '.join(fitting)} signs, with this source's secret, and this is "
            f"a {kind.label} source. Add a source of that kind."
        )
    carried = [label for label, code in codes.items() if code == "bad_signature"]
    if carried and judged(kind, *given) == "missing_signature":
        yield (
            f"It carries the signature of {' and '.join(carried)}, and this is a {kind.label} source. "
            "Send it to a source of that kind."
        )


def found(kind: SourceKind, request: Request) -> Iterator[str]:
    """What the signature fits after all."""
    yield from _written_otherwise(kind, request)
    for why, secrets in mistaken_secrets.of(request.secrets):
        if request.fits(kind, secrets=secrets):
            yield f"It is signed with {why}"
    for why, raw in mistaken_bodies.of(request.headers.get("Content-Type", ""), request.raw):
        if request.fits(kind, raw=raw):
            yield f"The signature is of {why}"
    yield from _other_digests(kind, request)


def _written_otherwise(kind: SourceKind, request: Request) -> Iterator[str]:
    """The right digest in another form, or in another header."""
    for name, value in signatures(request.headers).items():
        for target in dict.fromkeys([name, request.field or name]):
            for shape, written in mistaken_forms.of(value):
                if request.fits(kind, header=(target, written)):
                    yield f"The right signature stands in {name}, but {target} must read {shape}."


def _other_digests(kind: SourceKind, request: Request) -> Iterator[str]:
    """A digest that the kind does not ask for: of what it signs, or of the body."""
    as_kind = (kind.hashed(request.headers, request.raw, secret) for secret in request.secrets)
    of_body = [(secret.encode(), request.raw) for secret in request.secrets]
    hashed = dict.fromkeys([*filter(None, as_kind), *of_body])
    for name, value in signatures(request.headers).items():
        given = mistaken_forms.digest(value)
        for algorithm in ("sha1", "sha512"):
            if _is_one_of(given, (hmac.digest(key, text, algorithm) for key, text in hashed)):
                yield (
                    f"{name} is right as HMAC-{algorithm.upper()}, so the secret is, too; but it is "
                    "HMAC-SHA256 that is needed."
                )
        if _is_one_of(given, [hashlib.sha256(request.raw).digest()]):
            yield f"{name} is the plain SHA-256 of the body: sign with the secret as key (HMAC)."
        plain = [hmac.digest(key, text, "sha256") for key, text in of_body]
        if _is_one_of(given, plain) and not _signs_body_alone(kind, request):
            yield (
                f"{name} is the HMAC of the body alone: a {kind.label} source's signature is also "
                "over the time that its headers say."
            )


def _is_one_of(given: bytes | None, wanted: Iterable[bytes]) -> bool:
    matches = [hmac.compare_digest(given or b"", each) for each in wanted]
    return any(matches)


def _signs_body_alone(kind: SourceKind, request: Request) -> bool:
    """Whether a signature of this kind holds the HMAC of the body as it is."""
    sample = Sample(kind.sample("", "diagnosis").headers, request.raw)
    secret = request.secrets[0]
    signed = kind.sign(sample, secret, request.now)
    plain = hmac_sha256(secret, request.raw).hex()
    return any(plain in value for value in signed.values())
