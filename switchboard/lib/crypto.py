"""Sealing, hashing and comparing secrets.

The sealed form is `enc:v1:` + base64(nonce ‖ AES-256-GCM ciphertext). The associated data binds a
ciphertext to its row, so it opens nowhere else. See docs/security.md.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from switchboard.errors import Conflict

SEALED_PREFIX = "enc:v1:"
NONCE_BYTES = 12
FINGERPRINT_HEX = 12


class Sealer:
    """Seals and opens secrets under the current key, opening also what the old one sealed."""

    def __init__(self, key: bytes | None, old_key: bytes | None = None) -> None:
        self._keys = [AESGCM(each) for each in (key, old_key) if each]
        self._can_seal = key is not None

    def require(self) -> None:
        """Raise Conflict `encryption_required` when there is no key to seal with."""
        if not self._can_seal:
            raise Conflict(
                "No encryption key is set, so no secret can be stored. "
                "Set SWITCHBOARD_ENCRYPTION_KEY and restart.",
                "encryption_required",
            )

    def seal(self, secret: str, bound_to: str) -> str:
        """The sealed form of `secret`, which opens only with the same `bound_to` text."""
        self.require()
        nonce = os.urandom(NONCE_BYTES)
        sealed = nonce + self._keys[0].encrypt(nonce, secret.encode(), bound_to.encode())
        return SEALED_PREFIX + base64.b64encode(sealed).decode()

    def open(self, sealed: str, bound_to: str) -> str:
        """The secret in `sealed`. Raises Conflict `encryption_required` when no key opens it."""
        return self._open(sealed, bound_to)[0]

    def is_current(self, sealed: str, bound_to: str) -> bool:
        """Whether the key in use seals it, and not the one before. Raises Conflict as `open`."""
        return self._can_seal and self._open(sealed, bound_to)[1] == 0

    def _open(self, sealed: str, bound_to: str) -> tuple[str, int]:
        """The secret, and the number of the key that opened it."""
        for number, key in enumerate(self._keys):
            try:
                blob = base64.b64decode(sealed.removeprefix(SEALED_PREFIX))
                secret = key.decrypt(blob[:NONCE_BYTES], blob[NONCE_BYTES:], bound_to.encode())
            except (InvalidTag, ValueError):  # the latter: damaged so far that it is no ciphertext
                continue
            return secret.decode(), number
        raise Conflict(
            "A stored secret does not open with the encryption key in use. "
            "Set the key it was sealed with, or store the secret again.",
            "encryption_required",
        )


def new_credential(prefix: str) -> str:
    """A bearer credential of 256 random bits, such as `sbk_…`."""
    return prefix + secrets.token_urlsafe(32)


def new_webhook_secret() -> str:
    """`whsec_` + base64 of 32 random bytes, as Standard Webhooks writes it."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def token_hash(token: str) -> str:
    """How a high-entropy token is stored: SHA-256, hex. (Passwords use a slow hash instead.)"""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def fingerprint(secret: str) -> str:
    """First 12 hex digits of SHA-256: enough to tell two secrets apart, useless to guess one."""
    return hashlib.sha256(secret.encode()).hexdigest()[:FINGERPRINT_HEX]


def hmac_sha256(secret: str, body: bytes) -> bytes:
    """HMAC-SHA256 of `body` under the secret's UTF-8 bytes (RFC 2104)."""
    return hmac.digest(secret.encode(), body, "sha256")


def same(left: bytes, right: bytes) -> bool:
    """Constant-time equality."""
    return hmac.compare_digest(left, right)
