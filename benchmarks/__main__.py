"""`python -m benchmarks [PART]…`: measure and print the table; exit 1 if a bar is missed.

Without a part the short ones run. `soak` stands for all the long ones, an hour or so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import ack, fuzz, hostile, idle, kills, mcp, replies, scale, storm
from benchmarks.table import Row, render
from tests import backends

PARTS: dict[str, Callable[[str], list[Row]]] = {
    "ack": ack.rows,
    "replies": replies.rows,
    "mcp": mcp.rows,
    "idle": lambda _: idle.rows(),
    "scale": scale.rows,
    "storm": storm.rows,
    "hostile": hostile.rows,
    "fuzz": fuzz.rows,
    "kills": kills.rows,
}
SHORT = ("ack", "replies", "mcp", "idle")
LONG = ("scale", "storm", "hostile", "fuzz", "kills")


def main(wanted: list[str]) -> int:
    """Run the wanted parts, the short ones without any."""
    names = [part for name in wanted or SHORT for part in (LONG if name == "soak" else (name,))]
    if unknown := set(names) - set(PARTS):
        print(f"There is no {min(unknown)}; there are {', '.join(PARTS)}, soak.", file=sys.stderr)
        return 2
    rows: list[Row] = []
    with backends.valkey() as valkey:
        for name in names:
            print(f"measuring {name} …", file=sys.stderr)
            rows += PARTS[name](valkey)
    print(render(rows))
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
