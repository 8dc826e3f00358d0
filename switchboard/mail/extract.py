"""A raw mail, read as a reply: what the person typed, what was attached, and what came in whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from switchboard.errors import Invalid
from switchboard.mail import html, mime
from switchboard.mail.refusals import why_not_a_person
from switchboard.mail.trimming import MAX_TEXT, trim

__all__ = ["Attachment", "Reply", "extract_reply", "trim"]

MAX_QUOTED_BYTES = 16 * 1024
MAX_ATTACHMENTS = 50


@dataclass(frozen=True)
class Attachment:
    """What was attached: its name as sent, its size in bytes. The bytes are not kept."""

    name: str
    size: int


@dataclass(frozen=True)
class Reply:
    """`text` is what the person typed, `quoted` the body before it was cut (16 KiB of UTF-8 at most)."""

    text: str
    attachments: tuple[Attachment, ...]
    quoted: str


def extract_reply(raw: bytes) -> Reply:
    """The reply in a raw mail (RFC 5322), however broken.

    Raises Invalid `auto_reply` if no person wrote it as an answer, `empty_reply` if nothing was typed.
    """
    message, parts = mime.parse(raw)
    if (reason := why_not_a_person(message, parts)) is not None:
        raise Invalid(f"This mail is {reason}. Only what a person answers is posted.", "auto_reply")
    body = _body(parts)
    if not (text := trim(body)):
        raise Invalid(
            "Nothing is left of this mail without its quotes and signature. "
            "Write above the quoted text and send it again.",
            "empty_reply",
        )
    return Reply(text, _attachments(parts), _excerpt(body))


def _body(parts: Sequence[mime.Part]) -> str:
    """The mail's text: its plain parts, or its first HTML one if they say nothing."""
    shown = [part for part in parts if not part.is_attached]
    plain = [part.text() for part in shown if part.type == "text/plain"]
    text = "\n".join(plain)[:MAX_TEXT]
    if text.strip():
        return text
    for part in shown:
        if part.type == "text/html":
            return html.to_text(part.text())
    return ""


def _attachments(parts: Sequence[mime.Part]) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(part.name or part.type, part.size)
        for part in parts
        if part.is_attached or part.headers.get_content_maintype() not in {"text", "multipart"}
    )[:MAX_ATTACHMENTS]


def _excerpt(body: str) -> str:
    """The beginning of `body`, 16 KiB of UTF-8 at most."""
    return body[:MAX_QUOTED_BYTES].encode()[:MAX_QUOTED_BYTES].decode("utf-8", "ignore")
