"""Before a fork: have in memory what the children will need, and keep it shared.

A page that two processes use is paid once until one of them writes to it. So everything is imported
and configured first, and the collector, which writes to what it visits, is told to leave it alone.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Iterable

from switchboard.box.memory import give_back
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Base


def share(lib: Plumbing, modules: Iterable[str]) -> None:
    """Load `modules` and all that a first query would; no connection is made."""
    for name in modules:
        importlib.import_module(name)
    Base.registry.configure()
    assert lib.db.engine is not None  # made for its imports: a child makes its own
    lib.db.dispose()
    gc.collect()
    give_back()
    gc.freeze()
