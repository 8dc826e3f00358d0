"""One box a data folder: a lock that ends with the process that holds it, however it ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from switchboard.errors import SwitchboardError

NAME = "box.lock"


class Refused(SwitchboardError):
    """The box cannot start here; the message is one sentence saying why and what to do."""


def lock(data: Path) -> int:
    """Make the data folder if need be and hold its lock; the descriptor is kept till the end.

    Raises Refused when another box holds it or the folder cannot be used.
    """
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        held = os.open(data / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Refused(
            f"The data folder {data} cannot be written ({error.strerror}). Mend that, or name "
            "another with SWITCHBOARD_DATA."
        ) from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(held, 32, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(held)
        raise Refused(
            f"Another box (process {holder}) already runs on the data folder {data}. Stop it, or "
            "give this one a folder of its own with SWITCHBOARD_DATA."
        ) from None
    os.ftruncate(held, 0)
    os.pwrite(held, f"{os.getpid()}\n".encode(), 0)
    return held
