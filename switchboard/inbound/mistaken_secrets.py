"""Secrets that are nearly right: read with what stood around them, or made bytes in another way."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from typing import Any

PREFIX = "whsec_"


class _Bytes(str):
    """A secret whose bytes are no text: what signs with it asks only for those."""

    _bytes: bytes

    @classmethod
    def of(cls, key: bytes) -> _Bytes:
        made = cls("")
        made._bytes = key
        return made

    def encode(self, *_: Any, **__: Any) -> bytes:
        return self._bytes


def of(secrets: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """(sentence, secrets) of each mistake that can be made with these; 'It is signed with …'."""
    for why, make in _MISTAKES:
        made = [each for secret in secrets for each in make(secret)]
        if made:
            yield why, made


def _without_prefix(secret: str) -> list[str]:
    return [secret.removeprefix(PREFIX)] if secret.startswith(PREFIX) else []


def _with_prefix(secret: str) -> list[str]:
    return [] if secret.startswith(PREFIX) else [PREFIX + secret]


def _decoded(secret: str) -> list[str]:
    encoded = secret.removeprefix(PREFIX)
    try:
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return []
    return [_Bytes.of(key)] if key else []


def _as_text(secret: str) -> list[str]:
    """What a Standard Webhooks key would be if nobody decoded it."""
    texts = {secret, secret.removeprefix(PREFIX)}
    return [PREFIX + base64.b64encode(text.encode()).decode() for text in sorted(texts)]


_MISTAKES: Sequence[tuple[str, Callable[[str], list[str]]]] = (
    (
        "the secret and a line break after it: the sender reads it from a file and must trim it.",
        lambda secret: [secret + "\n", secret + "\r\n"],
    ),
    (
        "the secret and white space around it: the sender must trim it.",
        lambda secret: [f" {secret}", f"{secret} ", f" {secret} ", f"{secret}\t"],
    ),
    (
        "the secret in quotes: give it to the sender without them.",
        lambda secret: [f'"{secret}"', f"'{secret}'"],
    ),
    (f"the secret without its {PREFIX}: give it to the sender whole.", _without_prefix),
    (f"{PREFIX} in front of the secret, which has none: take it away there.", _with_prefix),
    (
        "what the secret's base64 decodes to. Here the key is the secret's text as it stands, with its "
        "prefix.",
        _decoded,
    ),
    (
        f"the secret's text. Standard Webhooks takes what the base64 after {PREFIX} decodes to as the "
        "key.",
        _as_text,
    ),
)
