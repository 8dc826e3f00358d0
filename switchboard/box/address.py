"""The box's address, left in the data folder while it runs: whoever works there can name it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from switchboard.config import ADDRESS


@contextmanager
def left_in(data: Path, url: str) -> Iterator[None]:
    """Leave the address there until the end. Where that cannot be, settings say it as well as they can."""
    path = data / ADDRESS
    with suppress(OSError):
        path.write_text(f"{url}\n")
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)
