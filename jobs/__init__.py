"""RQ's door: a job takes an id, calls one service function, and lets exceptions escape."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard.lib.plumbing import Plumbing


@cache
def plumbing() -> Plumbing:
    """This process's plumbing; late imports keep the cron process small."""
    from switchboard.config import load_settings
    from switchboard.lib.plumbing import Plumbing

    return Plumbing(load_settings()[0])
