"""What nobody typed this time: signatures, lines of phones, banners and disclaimers of mail servers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from switchboard.mail.phrases import (
    CARE,
    DEVICES,
    LEGAL,
    LEGAL_HEADING,
    OUTSIDE,
    OWN,
    SCANNED,
    STAMP,
    VIRUS_FREE,
    WARNS,
)
from switchboard.mail.vocabulary import DEVICE, DEVICE_ENDS, MESSAGE

MAX_SIGNATURE = 30  # lines below `-- `, which says what it is
MAX_GUESSED = 12  # lines below any other rule
MAX_DEVICE = 120  # characters
_FIRST_WORDS = 70  # characters
_MAX_WORDS = 7  # of a phone's line that names no device we know

_LINK = re.compile(r"[<(\[]?https?://[^\s<>]*[>)\]]?")
_DASHES = re.compile(r"\s*(?:--|––?|—)\s*\Z")
_UNDERSCORES = re.compile(r"\s*_{2,}\s*\Z")
_RULE = re.compile(
    r"\s*(?:-{3,}|—{2,}|–{3,}|={3,}|\*{3,}|~{3,}|#{3,}|\+{3,}|_{2,}|[━─═＝＿‐]{3,}|"
    r"[-=*+~#][-=*+~# ]{5,}|ᐧ)\s*\Z"
)
_CONTACT = re.compile(r"\w@\w|https?://|www\.|\+?\d[\d ()./-]{6,}\d")
_END_OF_CLAUSE = re.compile(r"[,.!?](?:\s|\Z)")
_SENTENCE = re.compile(r"[.!?:]\s*\Z")


def is_rule(line: str) -> bool:
    """Whether `line` draws a line and says nothing."""
    return bool(_RULE.match(line) or _DASHES.match(line))


def is_underscores(line: str) -> bool:
    """Whether `line` is drawn of underscores, which programs and lists do, and people do not."""
    return bool(_UNDERSCORES.match(line))


def is_signature(rule: str, below: Sequence[str], *, apart: bool) -> bool:
    """Whether the lines `below` a rule are a signature: few, and like one if the rule is not `-- `.

    `apart`: a blank line stands above the rule, so that it underlines nothing.
    """
    if _DASHES.match(rule):
        return len(below) <= MAX_SIGNATURE
    if len(below) > MAX_GUESSED:
        return False
    if is_underscores(rule):
        return True
    like_a_name = apart and len(below) <= 3 and all(_is_short(line) for line in below)
    return like_a_name or any(_CONTACT.search(line) for line in below)


def _is_short(line: str) -> bool:
    return len(line) <= 40 and not _SENTENCE.search(line)


def from_device(line: str) -> str | None:
    """What a phone or a program adds, "Sent from my iPhone": "surely", "maybe" or None. `line` is folded.

    Maybe: it begins like one, yet "Sent from Berlin" does too; only its place can tell.
    """
    line = _LINK.sub("", line).strip()
    if not line or len(line) > MAX_DEVICE:
        return None
    if DEVICE.match(line):
        head = _END_OF_CLAUSE.split(line, maxsplit=1)[0]
        short = head == line and len(line.split()) <= _MAX_WORDS
        if DEVICES.search(head) or (short and OWN.search(line)):
            return "surely"
        return "maybe" if short else None
    ends = DEVICE_ENDS.search(line) and DEVICES.search(line) and len(line.split()) <= _MAX_WORDS
    return "surely" if ends else None


def is_banner(paragraph: str) -> bool:
    """Whether a paragraph (folded) on top is a mail server's warning of a mail from outside."""
    if STAMP.fullmatch(paragraph):
        return True
    begins = WARNS.search(paragraph[:_FIRST_WORDS])
    return bool(begins) and all(said.search(paragraph) for said in (OUTSIDE, CARE, MESSAGE))


def is_disclaimer(paragraph: str) -> bool:
    """Whether a paragraph (folded) at the end is a lawyer's, or says that the mail was scanned."""
    if LEGAL_HEADING.fullmatch(paragraph):
        return True
    if not MESSAGE.search(paragraph.replace("e-mail", "email")[:_FIRST_WORDS]):
        return bool(VIRUS_FREE.search(paragraph))
    return bool(SCANNED.search(paragraph)) or len(set(LEGAL.findall(paragraph))) >= 2
