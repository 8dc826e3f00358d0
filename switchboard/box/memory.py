"""Memory given back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Return to the system what imports left unused, which without cached bytecode is much (glibc)."""
    if sys.platform == "linux" and hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)
