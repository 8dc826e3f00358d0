"""What nobody typed this time: signatures, lines of phones, banners and disclaimers of mail servers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from switchboard.mail.vocabulary import (
    DEVICE,
    DEVICE_ENDS,
    DEVICES,
    LEGAL,
    LEGAL_HEADING,
    MESSAGE,
    OUTSIDE,
    SCANNED,
    WARNS,
)

MAX_SIGNATURE = 30  # lines below `-- `, which says what it is
MAX_GUESSED = 12  # lines below any other rule
MAX_DEVICE = 120  # characters
_MIN_DISCLAIMER = 80  # characters
_MAX_WORDS = 7  # of a phone's line that names no device we know

_LINK = re.compile(r"[<(\[]?https?://[^\s<>]*[>)\]]?")
_DASHES = re.compile(r"\s*(?:--|––?|—)\s*\Z")
_UNDERSCORES = re.compile(r"\s*_{2,}\s*\Z")
_RULE = re.compile(r"\s*(?:-{3,}|—{2,}|–{3,}|={3,}|\*{3,}|~{3,}|#{3,}|\+{3,}|_{2,}|ᐧ)\s*\Z")
_CONTACT = re.compile(r"\w@\w|https?://|www\.|\+?\d[\d ()./-]{6,}\d")
_SENTENCE = re.compile(r"[.!?:]\s*\Z")


def is_rule(line: str) -> bool:
    """Whether `line` draws a line and says nothing."""
    return bool(_RULE.match(line) or _DASHES.match(line))


def is_underscores(line: str) -> bool:
    """Whether `line` is drawn of underscores, which programs and lists do, and people do not."""
    return bool(_UNDERSCORES.match(line))


def is_signature(rule: str, below: Sequence[str]) -> bool:
    """Whether the lines `below` a rule are a signature: few, and like one if the rule is not `-- `."""
    if _DASHES.match(rule):
        return len(below) <= MAX_SIGNATURE
    if len(below) > MAX_GUESSED:
        return False
    if is_underscores(rule):
        return True
    few = len(below) <= 4 and not any(_SENTENCE.search(line) or len(line) > 60 for line in below)
    return few or any(_CONTACT.search(line) for line in below)


def from_device(line: str) -> bool:
    """Whether `line` (folded) is what a phone or a program adds: "Sent from my iPhone"."""
    line = _LINK.sub("", line).strip()
    if not line or len(line) > MAX_DEVICE:
        return False
    if DEVICE.match(line):
        head = re.split(r"[,.!?](?:\s|\Z)", line, maxsplit=1)[0]
        return bool(DEVICES.search(head)) or (head == line and len(line.split()) <= _MAX_WORDS)
    return bool(DEVICE_ENDS.search(line) and DEVICES.search(line) and len(line.split()) <= 10)


def is_banner(paragraph: str) -> bool:
    """Whether a paragraph (folded) on top is a mail server's warning of a mail from outside."""
    return bool(WARNS.match(paragraph) and OUTSIDE.search(paragraph))


def is_disclaimer(paragraph: str) -> bool:
    """Whether a paragraph (folded) at the end is a lawyer's, or says that a mail was scanned."""
    if LEGAL_HEADING.fullmatch(paragraph) or SCANNED.search(paragraph):
        return True
    return len(paragraph) > _MIN_DISCLAIMER and bool(
        LEGAL.search(paragraph) and MESSAGE.search(paragraph.replace("e-mail", "email")[:200])
    )
