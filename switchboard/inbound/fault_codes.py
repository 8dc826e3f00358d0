"""The codes of faults about sources."""

from __future__ import annotations

PAUSED = "source_paused"  # too many of its own deliveries in a row were refused
REFUSING = "source_refusing"  # a long run of refusals or failures without one success
CODES = (PAUSED, REFUSING)
