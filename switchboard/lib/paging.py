"""How long a page of a list may be."""

from __future__ import annotations

MAX_LIMIT = 200
