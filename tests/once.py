"""What takes long to make and is but looked at afterwards: made by one of the workers, for all."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from typing import TypeVar

import pytest

T = TypeVar("T")


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[], T]) -> T:
    """What `make` returns to the first worker that asks for `name`; the others wait, and read it."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    kept = folder / f"{name}.pickle"
    with open(folder / f"{name}.lock", "ab") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not kept.exists():
            made = pickle.dumps(make())
            kept.write_bytes(made)
    found: T = pickle.loads(kept.read_bytes())
    return found
