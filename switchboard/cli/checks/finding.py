"""One finding of `doctor`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """`state` is `ok`, `warn` or `fail`; `advice` says what to do, empty when there is nothing."""

    check: str
    state: str
    found: str
    advice: str = ""
