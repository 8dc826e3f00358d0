"""The types an event may have. What is not here cannot be written; docs/events.md lists the same."""

from __future__ import annotations

TYPES = {
    "connection.added": "A credential was sealed and kept.",
    "connection.edited": "The name, an allowlist, the cap or the signature of a connection changed.",
    "connection.rotated": "A connection got a new credential; the old one is gone.",
    "connection.tested": "A connection was tried with one harmless read, well or in vain.",
    "connection.deleted": "A connection and its credential were forgotten.",
    "source.added": "Somebody was allowed to write in.",
    "source.rotated": "A source got a new secret.",
    "source.revoked": "A source was ended for good.",
    "vault.rotated": "Every sealed secret was sealed again under the current key.",
}
