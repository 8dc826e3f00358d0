"""The demo's data folder: emptied at every start, but only if it is known to be the demo's."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from switchboard.box.lock import NAME as LOCK
from switchboard.box.lock import Refused

MARKER = "demo.json"


def empty(data: Path) -> None:
    """Remove what an earlier demo left in `data`. Raises Refused for a folder that is not a demo's."""
    left = [path for path in data.iterdir() if path.name != LOCK]
    if left and not (data / MARKER).is_file():
        raise Refused(
            f"The demo would empty {data}, but what lies there is not a demo's. Move it away, or "
            "set SWITCHBOARD_DATA to another folder."
        )
    for path in left:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != MARKER:  # last, so that a half-emptied folder is still known
            path.unlink()
    write(data, {})


def write(data: Path, facts: Mapping[str, str]) -> None:
    """Keep what the demo's processes must know of each other, readable by this user only."""
    descriptor = os.open(data / MARKER, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(facts, file)


def read(data: Path) -> dict[str, str]:
    """What `write` kept."""
    facts: dict[str, str] = json.loads((data / MARKER).read_text("utf-8"))
    return facts
