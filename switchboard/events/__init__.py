"""The event log: one append-only table of what was done, by whom and to what."""
