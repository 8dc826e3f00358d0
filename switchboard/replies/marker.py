"""The mark on what Switchboard itself composes: made here and recognised here, nowhere else.

The mark is the line of attribution, in plain words and brackets. An HTML comment would be hidden at the
forges only and stand as raw text in Slack, Cairn and our own threads; plain words read the same everywhere,
and no chat or forge changes them. A mark alone proves nothing, as anybody may write one: who reads it must
also know that the connection's own identity posted it.
"""

from __future__ import annotations

import re

from switchboard.lib.text import inert

MARKER = "[sent by Switchboard"
MAX_ATTRIBUTION = 200
_FOREIGN = "(sent by Switchboard"
# a line of its own: what a person quotes stands behind `>` or inside a sentence
_LINE = re.compile(r"^[ \t]*\[sent by Switchboard(?:: [^\[\]\n]*)?\][ \t]*\r?$", re.MULTILINE)


def stamp(text: str, attribution: str) -> str:
    """`text` with the mark as its last line, saying `attribution` (who asks, what it is) in one line.

    Exactly one mark: stamping twice with the same words changes nothing, and one that the text itself
    brings loses its bracket, so that nobody's words are taken for the line of attribution.
    """
    said = inert(attribution, MAX_ATTRIBUTION)
    line = f"{MARKER}: {said}]" if said else f"{MARKER}]"
    written = text.strip().removesuffix(line).rstrip().replace(MARKER, _FOREIGN)
    return f"{written}\n\n{line}" if written else line


def is_marked(text: str) -> bool:
    """Whether a line of `text` is the mark. One inside a sentence or a quotation is none."""
    return _LINE.search(text) is not None
