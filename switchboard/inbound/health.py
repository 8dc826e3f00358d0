"""How a source is doing, from its record: the faults that no single delivery raises."""

from __future__ import annotations

from switchboard.inbound.pause_store import PAUSED

REFUSING = "source_refusing"
CODES = (PAUSED, REFUSING)
