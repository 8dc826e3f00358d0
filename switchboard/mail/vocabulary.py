"""The words of `switchboard/mail/languages.py`, compiled into what the readers ask."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from switchboard.access import languages
from switchboard.mail.languages import LANGUAGES

# A word of a script without spaces touches its neighbours; any other stands alone.
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _words(column: str) -> Iterator[str]:
    """Each word of one column of the table, over all languages."""
    for language in LANGUAGES:
        yield from filter(None, getattr(language, column).casefold().split("|"))


def _any_of(column: str) -> str:
    """A pattern for any word of a column."""
    return _either(set(_words(column)))


def _either(given_words: Collection[str]) -> str:
    """A pattern for any of the words, longest first; never inside another word.

    One look behind for all words of a kind: a look for each would cost ten times as much.
    """
    words = sorted(given_words, key=len, reverse=True)
    unspaced = [re.escape(word) for word in words if _UNSPACED.search(word)]
    spaced = [word for word in words if not _UNSPACED.search(word)]
    ends_open = [re.escape(word) for word in spaced if not word[-1].isalnum()]
    ends_closed = [re.escape(word) for word in spaced if word[-1].isalnum()]
    patterns = (
        rf"(?<!\w)(?:{'|'.join(ends_open)})",
        rf"(?<!\w)(?:{'|'.join(ends_closed)})(?!\w)",
        f"(?:{'|'.join(unspaced)})",
    )
    given = (ends_open, ends_closed, unspaced)
    return "|".join(pattern for pattern, some in zip(patterns, given, strict=True) if some)


def folded(line: str) -> str:
    """`line` as the patterns below want it."""
    return line.casefold()


# header word → the field it names: sender, date, to or subject
HEADERS: Final = {
    word: field for field in ("subject", "to", "date", "sender") for word in _words(field)
}
MONTHS: Final = frozenset(_words("months"))  # the first three letters of each
WROTE: Final = re.compile(_any_of("wrote"))
ENDS_WITH_WROTE: Final = re.compile(rf"(?:{_any_of('wrote')})[^\w.!?]*\Z")
QUOTING: Final = re.compile(rf"\W{{0,4}}(?:{_any_of('quoting')})")
OPENS: Final = re.compile(rf"[^\w<]{{0,6}}(?:\d|{_any_of('opens')})")
# an opening word in the middle of a line stands with a capital there: "yes On Wed, Apr 4 …"
OPENS_WITHIN: Final = re.compile(
    rf"(?<=\s)[-–—]*\s?({'|'.join(re.escape(w.capitalize()) for w in sorted(set(_words('opens'))))})(?=\s)"
)
MESSAGE: Final = re.compile(rf"{_any_of('message')}|communication|transmission|correspondence")
ORIGINAL: Final = re.compile("|".join(map(re.escape, sorted(set(_words("original"))))))
FORWARDED: Final = frozenset(_words("forwarded"))
DEVICE: Final = re.compile(rf"\W{{0,4}}(?:{_any_of('device')})")
DEVICE_ENDS: Final = re.compile(rf"(?:{_any_of('device_ends')})\W{{0,4}}\Z")
AWAY: Final = re.compile(rf"\W{{0,4}}(?:{_any_of('away')})")
# our own line, which a reader gets in his language
ABOVE: Final = re.compile(
    _either([each.reply_line.casefold() for each in languages.LANGUAGES.values()])
)
