"""`python -m benchmarks [ack|replies|idle]…`: measure and print the table; exit 1 if a bar is missed.

`scale` (a million rows, some minutes) and `soak` (some twenty) are left out unless they are named.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from benchmarks import ack, idle, replies, scale, soak
from benchmarks.table import Row, render
from tests import backends

PARTS: dict[str, Callable[[str], list[Row]]] = {
    "ack": ack.rows,
    "replies": replies.rows,
    "idle": lambda _: idle.rows(),
    "scale": scale.rows,
    "soak": lambda _: soak.rows(),
}
SHORT = ("ack", "replies", "idle")


def main(wanted: list[str]) -> int:
    """Run the wanted parts, the short ones without any."""
    if unknown := set(wanted) - set(PARTS):
        print(f"There is no {min(unknown)}; there are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    rows: list[Row] = []
    with backends.valkey() as valkey:
        for name in wanted or SHORT:
            print(f"measuring {name} …", file=sys.stderr)
            rows += PARTS[name](valkey)
    print(render(rows))
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
