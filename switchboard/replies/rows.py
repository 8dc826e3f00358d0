"""A post to be, as the row that is written before it is dialled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switchboard.lib import clock, ids
from switchboard.models import Connection
from switchboard.replies.wording import posted_text, text_hash


def pending(
    purpose: str, connection: Connection, address: Mapping[str, Any], text: str
) -> dict[str, Any]:
    """The columns that follow from where it goes and what it says; owner, todo and key come on top."""
    return {
        "id": ids.new("reply"),
        "purpose": purpose,
        "connection_id": connection.id,
        "connection_name": connection.name,
        "connection_fingerprint": connection.secret_fingerprint,
        "address": dict(address),
        "address_key": address["key"],
        "text": text,
        "posted_sha256": text_hash(posted_text(text, connection.signature)),
        "state": "pending",
        "created_at": clock.now(),
    }
