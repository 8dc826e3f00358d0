"""The line that announces a quote: "On Tue, 1 Mar 2011 at 18:02, Ann <ann@example.org> wrote:".

Shape alone is no proof, since people write "On Tuesday I am away": a date, a time or an address has to
stand in it. It may be wrapped over five lines, never over a blank one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from switchboard.mail.vocabulary import (
    ENDS_WITH_WROTE,
    MONTHS,
    OPENS,
    OPENS_WITHIN,
    QUOTING,
    WROTE,
    folded,
)

MAX_WRAPPED = 5  # lines
MAX_LENGTH = 500  # characters, joined
_SHORT = 120  # characters of "Ann wrote:", which only the quote below it proves

_PROOF = re.compile(r"[\d@]")  # no date, time or address lacks both
_TIME = re.compile(
    r"(?<!\d)\d{1,2}[:h]\d{2}(?!\d)|(?<!\d)\d{1,2} ?[ap]\.?m\b|"
    r"(?:kl|klo|kell|kello|um|o|om|pukul)\.? ?\d{1,2}\.\d{2}|\d[時点时시]"
)
_NUMERIC_DATE = re.compile(r"\d{1,4}([-/.])\s?\d{1,2}\1\s?\d{1,4}|\d\s?[年년]")
_ADDRESS = re.compile(r"\w@\w")
_WORD = re.compile(r"\w+")
_FRAMED = re.compile(r"\s*-{3,}.{1,120}-{3,}\s*\Z")  # ---- Ann wrote ----
_APART = re.compile(r"(:) {2,9}(?=\S)")
_MAY_END = re.compile(r"[:：>\-*)]\s*\Z")


def evidence(text: str) -> int:
    """How many of date, time and address stand in `text` (folded): 0 to 3."""
    if not _PROOF.search(text):
        return 0
    return bool(_TIME.search(text)) + bool(_ADDRESS.search(text)) + _has_date(text)


def _has_date(text: str) -> bool:
    if _NUMERIC_DATE.search(text):
        return True
    words = [word for word in _WORD.findall(text) if word not in {"de", "of"}]
    return any(
        (one[0].isdigit() and other[:3] in MONTHS) or (other[0].isdigit() and one[:3] in MONTHS)
        for one, other in pairwise(words)
    )


def announces(text: str, *, quote_follows: bool) -> bool:
    """Whether `text` (folded, joined) announces a quote; `quote_follows`: the next line begins with `>`."""
    line = text.strip(" \t-–—*_|")
    colon = line.endswith((":", "："))
    found = evidence(line)
    if colon and QUOTING.match(line):
        return found >= 1 or quote_follows
    if ENDS_WITH_WROTE.search(line[-60:]):
        enough = 1 if quote_follows or (colon and OPENS.match(line)) else 2
        proven = quote_follows or _FRAMED.match(text)
        return found >= enough or bool(proven and len(line) <= _SHORT)
    if not colon and not line.endswith(">"):
        return False
    if WROTE.search(line):
        return found >= (1 if quote_follows else 2)
    if not (line.rstrip(":： ").endswith(">") and _ADDRESS.search(line[-100:])):
        return False
    return found >= 2 and bool(OPENS.match(line) or (colon and found == 3))


def may_end(line: str) -> bool:
    """Whether an attribution could end with `line` (folded): the cheap question, asked first."""
    return bool(_MAY_END.search(line[-4:]) or ENDS_WITH_WROTE.search(line[-60:]))


def find(lines: Sequence[str], last: int, *, quote_follows: bool) -> int | None:
    """Where the attribution begins that ends with line `last`; None if there is none.

    `lines` are folded. Of several beginnings the one with an opening word wins, then the shortest that
    begins like a name, so that a line typed directly above stays what it is.
    """
    best = None
    joined = ""
    for first in range(last, max(last - MAX_WRAPPED, -1), -1):
        if not lines[first].strip():
            break
        joined = f"{lines[first].strip()} {joined}".strip()
        if len(joined) > MAX_LENGTH:
            break
        if not announces(joined, quote_follows=quote_follows):
            continue
        if OPENS.match(lines[first]):
            return first
        if best is None or lines[best].lstrip().startswith("<"):
            best = first
    return best


def rejoined(lines: Sequence[str]) -> list[str]:
    """`lines` with the announcements whole that Polymail breaks: a blank, `<`, `mailto:…`, `> wrote:`."""
    whole: list[str] = []
    at = 0
    while at < len(lines):
        line, *after = (each.strip() for each in lines[at : at + 3])
        if line == "<" and len(after) == 2 and after[0][:7] == "mailto:" and after[1][:1] == ">":
            while whole and not whole[-1].strip():
                whole.pop()
            whole.append(f"{whole.pop() if whole else ''} <{after[0]}{after[1]}")
            at += 3
        else:
            whole.append(lines[at])
            at += 1
    return whole


def shares_line(line: str) -> int | None:
    """Where in `line` (as typed) an attribution begins behind the person's words; None if there is none."""
    for found in OPENS_WITHIN.finditer(line):
        rest = folded(line[found.start(1) :])
        if evidence(rest) >= 2 and ENDS_WITH_WROTE.search(rest[-60:]):
            return found.start()
    return None


def ends_within(line: str) -> int | None:
    """Where in `line` (as typed) its attribution ends and the quoted text begins; None if there is none.

    Yahoo's program for Android writes both on one line, three spaces apart.
    """
    for found in _APART.finditer(line):
        head = folded(line[: found.end(1)]).strip()
        if OPENS.match(head) and ENDS_WITH_WROTE.search(head[-60:]) and evidence(head) == 3:
            return found.end(1)
    return None
