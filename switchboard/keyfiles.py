"""The key files that a first start makes in the data folder, so that a small box needs no settings."""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from switchboard.errors import SettingsError

KEY_BYTES = 32


def read(path: Path, reader: Callable[[str], Any]) -> Any:
    """What `reader` makes of the file. Raises SettingsError when it is empty or no key."""
    try:
        key = reader(path.read_text().strip())
    except (OSError, ValueError):
        key = None
    if not key:
        raise SettingsError(
            f"The key file {path} cannot be read as a key; put its copy back, or, if nothing was "
            "stored with it, delete it"
        )
    return key


def make(path: Path) -> bool:
    """Write a fresh key (0600), whole or not at all; False when another process was first."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(base64.b64encode(secrets.token_bytes(KEY_BYTES)))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(part, path)
    except FileExistsError:
        return False
    finally:
        part.unlink()
    return True
