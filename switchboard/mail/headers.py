"""The header of a mail that is quoted whole, as Outlook does: From, Sent, To, Subject, in any language."""

from __future__ import annotations

from collections.abc import Sequence

from switchboard.mail.attribution import evidence
from switchboard.mail.vocabulary import HEADERS

_AROUND = " \t*_•\u200e\u200f"  # a header word, where it is bold or in a list
_LONGEST_WORD = 40  # characters before the colon
_WRAPPED = 3  # lines that a value may take
_MAX_BLOCK = 40  # lines


def fields_of(line: str) -> set[str]:
    """The fields that `line` (folded) names, empty if it does not begin with a header word."""
    if (first := _field(line[:_LONGEST_WORD])) is None:
        return set()
    # some programs put two on a line: "To: a@example.org Subject: …"
    words = line.replace("：", ":").replace(" :", ":").split()
    return {first} | {HEADERS[w[:-1]] for w in words if w.endswith(":") and w[:-1] in HEADERS}


def _field(start: str) -> str | None:
    word, colon, _ = start.replace("：", ":").partition(":")
    return HEADERS.get(word.strip(_AROUND)) if colon else None


def block(lines: Sequence[str], first: int) -> tuple[int, bool]:
    """Where the run of header lines ends that begins at line `first` (folded), and whether it is a header.

    That is two or more fields in any order in a short run, the sender among them or all three others, with
    a date, a time or an address, or three fields at least. Values may be wrapped.
    """
    fields = fields_of(lines[first])
    last = first
    for at in range(first + 1, min(first + _MAX_BLOCK, len(lines))):
        if not fields or at - last > _WRAPPED:
            break
        if more := fields_of(lines[at]):
            fields |= more
            last = at
    whole = len(fields) >= 2 and ("sender" in fields or len(fields) >= 3)
    return last + 1, whole and (
        len(fields) >= 3 or evidence(" ".join(lines[first : last + 1])) >= 1
    )
