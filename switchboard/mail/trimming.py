"""What a person typed, out of the text of a mail (docs/mail.md, "How a reply is cut")."""

from __future__ import annotations

import re

from switchboard.lib.text import clean
from switchboard.mail import attribution
from switchboard.mail.boilerplate import MAX_SIGNATURE, is_signature, is_underscores
from switchboard.mail.lines import (
    ABOVE_THIS,
    ADDED,
    ANNOUNCES,
    BLANK,
    CODE,
    HEADER,
    QUOTE,
    RULE,
    SEPARATOR,
    TEXT,
    classify,
)

MAX_TEXT = 256 * 1024  # characters
MAX_LINES = 5_000
_MAX_SHARED = 400  # characters of a line that may hold an attribution behind the person's words
_WRAPPED_AT = 60  # characters after which a program wraps a quoted line

_BREAK = re.compile(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u202a-\u202e\u2066-\u2069]")
# a quoted mail begins: what follows the run is either its quote or, unmarked, the mail itself
_BEGINS = re.compile(
    f"[{ANNOUNCES}{HEADER}{SEPARATOR}][{ANNOUNCES}{HEADER}{SEPARATOR}{BLANK}]*({QUOTE}?)"
)
_SANDWICHED = re.compile(f"(?<={QUOTE}){TEXT}(?={QUOTE})")
_ENDS_SIGNATURE = re.compile(f"[{ANNOUNCES}{HEADER}{SEPARATOR}{QUOTE}]")
_ENDS_UNDERSCORED = re.compile(f"[{ANNOUNCES}{HEADER}{SEPARATOR}{QUOTE}{RULE}]")


def trim(text: str) -> str:
    """What the person typed in `text`: without quotes, their headers, signatures and what programs add.

    Empty if nothing was typed. Looks at 256 Ki characters and 5 000 lines at most; never fails.
    """
    lines = _lines(text)
    kinds = classify(lines)
    kinds = kinds[: _cut(kinds)].replace(ABOVE_THIS, QUOTE)
    kinds = _without_wrapped_quotes(lines, kinds)
    kinds = _without_signatures(lines, kinds)
    return _joined(lines, kinds)


def _lines(text: str) -> list[str]:
    lines = _BREAK.split(clean(_INVISIBLE.sub("", text[:MAX_TEXT])), MAX_LINES)[:MAX_LINES]
    return [part for line in attribution.rejoined(lines) for part in _unshared(line.rstrip())]


def _unshared(line: str) -> list[str]:
    """`line`, or the parts of one on which an attribution shares a line with what is around it."""
    if (at := attribution.ends_within(line[:_MAX_SHARED])) is not None:
        return [line[:at], line[at:].lstrip()]
    at = attribution.shares_line(line) if len(line) <= _MAX_SHARED and line.endswith(":") else None
    if at is None:
        return [line]
    return [part for part in (line[:at].rstrip(" -–—"), line[at:].lstrip(" -–—")) if part]


def _cut(kinds: str) -> int:
    """The line from which on nothing is the person's: our own marker first, then an unmarked quote."""
    end = len(kinds)
    marker = kinds.find(ABOVE_THIS)
    if marker >= 0 and any(kind in kinds[:marker] for kind in (TEXT, CODE)):
        end = marker
    for found in _BEGINS.finditer(kinds, 0, end):
        # with nothing above, and quotes marked further below, the person answers below the announcement
        answers_below = (
            not kinds[: found.start()].strip(BLANK)
            and QUOTE in kinds[found.end() : end]
            and not found[0].strip(ANNOUNCES + BLANK)
        )
        if not found[1] and not answers_below:
            return found.start()
    return end


def _without_wrapped_quotes(lines: list[str], kinds: str) -> str:
    """The end of a quoted line that a program wrapped without its `>` is quote."""

    def judged(found: re.Match[str]) -> str:
        above, line = lines[found.start() - 1], lines[found.start()]
        return QUOTE if len(above) >= _WRAPPED_AT and line[:1].islower() else TEXT

    return _SANDWICHED.sub(judged, kinds)


def _without_signatures(lines: list[str], kinds: str) -> str:
    """A rule and the few lines below it, up to a quote or the end, are no text."""
    at = kinds.find(RULE)
    while at >= 0:
        ends = _ENDS_UNDERSCORED if is_underscores(lines[at]) else _ENDS_SIGNATURE
        found = ends.search(kinds, at + 1)
        end = found.start() if found else len(kinds)
        few = kinds.count(TEXT, at, end) + kinds.count(CODE, at, end) <= MAX_SIGNATURE
        if few and is_signature(
            lines[at], _typed(lines, kinds, at, end), apart=_is_apart(kinds, at)
        ):
            kinds = kinds[:at] + ADDED * (end - at) + kinds[end:]
        at = kinds.find(RULE, at + 1)
    return kinds


def _typed(lines: list[str], kinds: str, first: int, end: int) -> list[str]:
    return [lines[at] for at in range(first, end) if kinds[at] in {TEXT, CODE}]


def _is_apart(kinds: str, at: int) -> bool:
    return at == 0 or kinds[at - 1] == BLANK


def _joined(lines: list[str], kinds: str) -> str:
    """The lines that stay; single blank lines between them, none at the ends, no rule at the end."""
    kept: list[str] = []
    last_typed = 0
    for line, kind in zip(lines, kinds, strict=False):
        if kind in {TEXT, CODE, RULE}:
            kept.append(line)
            last_typed = len(kept) if kind != RULE else last_typed
        elif kept and kept[-1]:
            kept.append("")
    return "\n".join(kept[:last_typed]).strip("\n")
