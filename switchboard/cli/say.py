"""Laying out what people read: aligned fields and tables, and nothing that steers a terminal.

Titles, subjects and bodies come from strangers, and a terminal obeys escape sequences.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from switchboard.lib.text import one_line

MAX_CELL = 60


def visible(text: str) -> str:
    """`text` with its lines kept and every other unprintable character shown as `�`."""
    return "".join(c if c.isprintable() or c in "\n\t" else "�" for c in text)


def for_paste(text: str) -> str:
    """`text` exactly, unless it goes to a terminal, which could take it for commands."""
    return visible(text) if sys.stdout.isatty() else text


def fields(pairs: Iterable[tuple[str, Any]]) -> str:
    """`name  value` lines, the values aligned."""
    shown = [(name, _text(value)) for name, value in pairs]
    width = max(len(name) for name, _ in shown)
    return "\n".join(f"  {name:<{width}}  {value}" for name, value in shown)


def table(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns as wide as their longest cell; a cell is one line of up to 60 characters."""
    cells = [list(headers), *([one_line(_text(cell), MAX_CELL) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (zip(row, widths, strict=True) for row in cells)
    return "\n".join(
        "  ".join(f"{cell:<{width}}" for cell, width in line).rstrip() for line in lines
    )


def steps(sentences: Iterable[str]) -> str:
    """Numbered lines."""
    return "\n".join(f"  {number}. {each}" for number, each in enumerate(sentences, 1))


def blocks(*parts: str) -> str:
    """Parts with an empty line between them; empty parts are left out."""
    return "\n\n".join(part for part in parts if part)


def when(moment: str | None) -> str:
    """An ISO moment to the second, in UTC; `-` for none."""
    return moment[:19].replace("T", " ") + "Z" if moment else "-"


def span(seconds: float) -> str:
    """So many seconds in the largest unit that holds them whole: `1 hour`, `90 seconds`."""
    units = (("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1))
    unit, size = next((each for each in units if seconds % each[1] == 0), units[-1])
    count = seconds / size
    return f"{count:.12g} {unit}" if count == 1 else f"{count:.12g} {unit}s"


def owner(label: dict[str, str] | None) -> str:
    """`ana`, or `team core`."""
    if not label:
        return "-"
    return f"team {label['team']}" if "team" in label else label["account"]


def _text(value: Any) -> str:
    if value is None or value in ("", []):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return visible(str(value))
