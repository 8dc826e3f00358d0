"""Capability letters: one vocabulary for accounts, sources and mail (docs/architecture.md)."""

from __future__ import annotations

from switchboard.errors import Forbidden, Invalid

MEANING = {
    "n": "open a ticket or a todo",
    "c": "comment on a ticket or todo thread",
    "f": "reply on a forum thread",
    "l": "remark on a landing",
    "k": "report check verdicts",
    "C": "write to chat",
    "a": "answer an agent's question",
    "x": "have a comment relayed to the origin through the owner's connection",
}
ADMIN_LETTERS = "ncflkax"
ACCOUNT_LETTERS = "ncfla"


def parse(text: str) -> str:
    """`text` as a set of known letters in canonical order. Raises Invalid on any other."""
    strange = set(text) - set(MEANING)
    if strange:
        raise Invalid(
            f"Unknown capability letter {min(strange)!r}; there are {' '.join(MEANING)}.",
            field="letters",
        )
    return "".join(letter for letter in MEANING if letter in text)


def require(held: str, letter: str, who: str) -> None:
    """Raise Forbidden `missing_capability` unless `letter` is among `held`."""
    if letter not in held:
        raise Forbidden(
            f"{who} lacks the letter {letter}: {MEANING[letter]}.",
            "missing_capability",
            letter=letter,
        )
