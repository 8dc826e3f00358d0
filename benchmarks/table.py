"""One row of the table, and how the table is printed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What was measured, what it is held against, the bar, and whether it is met."""

    what: str
    measured: str
    against: str
    bar: str
    met: bool


def render(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| what | measured | against | bar | |", "|---|---|---|---|---|"]
    for row in rows:
        verdict = "met" if row.met else "**missed**"
        lines.append(f"| {row.what} | {row.measured} | {row.against} | {row.bar} | {verdict} |")
    return "\n".join(lines)
