"""No child outlives its parent, even one ended by SIGKILL: the kernel sees to it (Linux).

https://man7.org/linux/man-pages/man2/PR_SET_PDEATHSIG.2const.html
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
# Loaded before any fork: between fork and exec a child should only make the one call.
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def die_with_parent(parent: int) -> None:
    """Have this process killed as soon as `parent` (a process id), which forked it, has ended."""
    if _libc is None:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def tied_to_this_process() -> Callable[[], None]:
    """What a child of this process calls between fork and exec; the tie survives the exec."""
    parent = os.getpid()
    return lambda: die_with_parent(parent)
