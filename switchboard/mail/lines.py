"""Each line of a mail gets one kind; `switchboard/mail/trimming.py` decides on the string of kinds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from switchboard.mail import attribution, headers
from switchboard.mail.boilerplate import from_device, is_banner, is_disclaimer, is_rule
from switchboard.mail.vocabulary import ABOVE, FORWARDED, MESSAGE, ORIGINAL, folded

TEXT: Final = "t"
CODE: Final = "c"  # inside a fence: text, whatever it looks like
BLANK: Final = " "
QUOTE: Final = "q"
ANNOUNCES: Final = "a"  # "On …, Ann wrote:"
HEADER: Final = "h"  # From, Sent, To, Subject of a mail that is quoted whole
SEPARATOR: Final = "s"  # ----- Original Message -----
ABOVE_THIS: Final = "^"  # "Reply above this line"
RULE: Final = "r"  # a line of dashes: a signature may follow, or the person drew it
ADDED: Final = "x"  # by a program: a phone's line, a banner, a disclaimer

_PERHAPS: Final = "p"  # like a phone's line; its place will tell

CUT: Final = "\x01"  # the HTML reader puts it where a quoted mail begins without a word

_QUOTED_MAIL: Final = frozenset({QUOTE, ANNOUNCES, HEADER, SEPARATOR})
_MAX_SEEN = 400  # characters of a line that are looked at
_MAX_ABOVE = 160  # characters of a line that says "reply above this line"
_MAX_ON_TOP = 6  # paragraphs among which a banner may stand
_QUOTED = re.compile(r"[ \t]{0,8}>")
_LINK_IN_ARROWS = re.compile(r"[ \t>]{0,20}>>.{0,300}<<<?\s*\Z")
_INITIALS = re.compile(r"[ \t]{0,4}([A-Z][A-Za-z]{0,3})>(?:\s|\Z)")
_FENCE = re.compile(r"\s{0,3}(?:```|~~~)")
_BETWEEN_DASHES = re.compile(r"\s*[-‐–—_=*]{2,60}\s?([^-‐–—_=*].{0,70}?)\s?[-‐–—_=*:]{2,60}\s*\Z")


def classify(lines: Sequence[str]) -> str:
    """One character for each of `lines`, from the constants above. Linear in the length of the lines."""
    heads = [folded(line[:_MAX_SEEN]) for line in lines]
    kinds = [_alone(line[:_MAX_SEEN], head) for line, head in zip(lines, heads, strict=True)]
    _mark_initials(lines, kinds)
    _mark_armour(lines, kinds)
    _mark_code(heads, kinds)
    _mark_headers(heads, kinds)
    _mark_announcements(heads, kinds)
    _mark_last_lines(kinds)
    _mark_boilerplate(heads, kinds)
    return "".join(kinds)


def _alone(line: str, head: str) -> str:
    """What a line is by itself."""
    if not line.strip():
        return BLANK
    if len(line) < _MAX_ABOVE and ABOVE.search(head):
        return ABOVE_THIS
    if _QUOTED.match(line):
        return TEXT if _LINK_IN_ARROWS.match(line) else QUOTE
    if line.startswith(CUT) or _separates(head):
        return SEPARATOR
    if is_rule(line):
        return RULE
    return {"surely": ADDED, "maybe": _PERHAPS, None: TEXT}[from_device(head)]


def _separates(head: str) -> bool:
    if head.strip(" \t:.-*>®") in FORWARDED:
        return True
    found = _BETWEEN_DASHES.match(head)
    return bool(found and MESSAGE.search(found[1]) and ORIGINAL.search(found[1]))


def _mark_initials(lines: Sequence[str], kinds: list[str]) -> None:
    """`AB> …` is a quote too, when two lines at least have it."""
    found = {
        at: m[1]
        for at, kind in enumerate(kinds)
        if kind == TEXT and (m := _INITIALS.match(lines[at]))
    }
    often = Counter(found.values())
    for at, initials in found.items():
        if often[initials] > 1:
            kinds[at] = QUOTE


def _mark_armour(lines: Sequence[str], kinds: list[str]) -> None:
    """The frame of a signed text and its signature; the text inside stays."""
    signing = False
    for at, line in enumerate(lines):
        if line.startswith("-----BEGIN PGP SIGNED"):
            kinds[at] = ADDED
            if at + 1 < len(lines) and lines[at + 1].startswith("Hash:"):
                kinds[at + 1] = ADDED
        signing = signing or line.startswith("-----BEGIN PGP SIGNATURE")
        if signing:
            kinds[at] = ADDED
            signing = not line.startswith("-----END PGP")


def _mark_code(heads: Sequence[str], kinds: list[str]) -> None:
    """What stands between two fences is opaque; a fence without its fellow is text."""
    opened = None
    for at, head in enumerate(heads):
        if kinds[at] == QUOTE or not _FENCE.match(head):
            continue
        if opened is None:
            opened = at
        else:
            kinds[opened : at + 1] = CODE * (at + 1 - opened)
            opened = None


def _mark_headers(heads: Sequence[str], kinds: list[str]) -> None:
    at = 0
    while at < len(heads):
        end, is_header = headers.block(heads, at) if kinds[at] == TEXT else (at + 1, False)
        if is_header:
            kinds[at:end] = HEADER * (end - at)
        at = end


def _mark_announcements(heads: Sequence[str], kinds: list[str]) -> None:
    follows = _quote_follows(kinds)
    for at, head in enumerate(heads):
        if kinds[at] not in {TEXT, ADDED, _PERHAPS} or not attribution.may_end(head):
            continue
        first = attribution.find(heads, at, quote_follows=follows[at])
        if first is not None and set(kinds[first : at + 1]) <= {TEXT, ADDED, _PERHAPS}:
            kinds[first : at + 1] = ANNOUNCES * (at + 1 - first)


def _quote_follows(kinds: Sequence[str]) -> list[bool]:
    """For each line whether the next one that is not blank is a quote."""
    follows, coming = [False] * len(kinds), False
    for at in range(len(kinds) - 1, -1, -1):
        follows[at] = coming
        if kinds[at] != BLANK:
            coming = kinds[at] == QUOTE
    return follows


def _mark_last_lines(kinds: list[str]) -> None:
    """What is like a phone's line is one if it stands alone, last or above a quote."""
    coming = BLANK
    for at in range(len(kinds) - 1, -1, -1):
        if kinds[at] == _PERHAPS:
            alone = at == 0 or kinds[at - 1] == BLANK
            last = coming in _QUOTED_MAIL or coming in {BLANK, RULE}
            kinds[at] = ADDED if alone and last else TEXT
        if kinds[at] != BLANK:
            coming = kinds[at]


def _mark_boilerplate(heads: Sequence[str], kinds: list[str]) -> None:
    """A banner goes, and a disclaimer with all that stands below it up to a quote."""
    legal = False
    above = 0
    for number, (first, end) in enumerate(_paragraphs(kinds)):
        paragraph = " ".join(heads[first:end])[:_MAX_SEEN]
        legal = legal and not _QUOTED_MAIL & set(kinds[above:first])
        legal = legal or (number > 0 and is_disclaimer(paragraph))
        if legal or (number < _MAX_ON_TOP and is_banner(paragraph)):
            kinds[first:end] = ADDED * (end - first)
        above = end


def _paragraphs(kinds: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each run of text begins and ends (excluded)."""
    for found in re.finditer(f"{TEXT}+", "".join(kinds)):
        yield found.span()
