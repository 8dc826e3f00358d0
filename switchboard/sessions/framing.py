"""An answer as it reaches a running agent: a line that says where it comes from, then the text.

It may land in a terminal, so nothing in it may act on one. tmux's bracketed paste passes an embedded
end-of-paste sequence on, and what follows would be typed as keys; so every control character goes, but tab
and newline. Signs that only change how text looks (directions of writing, joiners) stay in the text: no
terminal acts on them, and Arabic, Hebrew, Persian and emoji need them. In the first line, which must read
as what it is, they go too.
"""

from __future__ import annotations

import re

from switchboard.lib.text import clean, one_line

MAX_REF = 400
MAX_ACTOR = 200
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # C0 but tab and newline, DEL, C1
_LINE_END = re.compile("\r\n?")


def frame(ref: str, text: str, actor: str = "") -> str:
    """The whole message for the agent of the work item `ref`; `actor` is who answered, as we know it.

    A carriage return is a newline here: in a terminal it would be the key that sends what was typed so far.
    """
    who = one_line(actor, MAX_ACTOR)
    whom = f" ({who})" if who else ""
    head = f"Reply from the operator via the control plane{whom} to your question on"
    return without_controls(f"{head} {one_line(ref, MAX_REF)}:\n\n{text.strip()}").rstrip()


def without_controls(text: str) -> str:
    """`text` without anything that a terminal acts on, line ends as newlines."""
    return _CONTROLS.sub("", _LINE_END.sub("\n", clean(text)))
