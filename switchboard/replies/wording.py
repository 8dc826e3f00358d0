"""The text as it is posted, and the hash by which its echo is known again."""

from __future__ import annotations

import hashlib


def posted_text(text: str, signature: str | None) -> str:
    """`text` as given, plus the connection's signature line where it has one."""
    return f"{text}\n\n{signature}" if signature else text


def text_hash(text: str) -> str:
    """SHA-256 of a text, alike for line ends and outer white space that providers change."""
    tidy = text.replace("\r\n", "\n").strip()
    return hashlib.sha256(tidy.encode("utf-8", "replace")).hexdigest()
