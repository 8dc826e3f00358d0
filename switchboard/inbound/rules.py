"""A source's jq rules: the first that matches picks the queue, narrows the targets, or drops."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from switchboard.lib.plumbing import Plumbing


def check(lib: Plumbing, given: Any, names: Collection[str]) -> list[dict[str, Any]]:
    """The rules in the form they are kept in. `names` are the endpoints the source gives work to."""
    return list(given)
