"""Letting old deliveries go, a few at a time so that no writer waits long.

A delivery goes with its body and keys after RETENTION_DAYS; one that unfinished work still needs
stays until that work ends.
"""

from __future__ import annotations

from switchboard.inbound import log_store
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing

AT_ONCE = 200
DAY_SECONDS = 86_400


def sweep(lib: Plumbing) -> int:
    """Delete what is older than the retention; how many deliveries went."""
    before = ids.first_at("delivery", clock.ago(lib.settings["RETENTION_DAYS"] * DAY_SECONDS))
    gone, after = 0, ""
    while True:
        with lib.db.write() as session:
            deleted, last = log_store.delete_deliveries(session, after, before, AT_ONCE)
        gone += deleted
        if last is None:
            return gone
        after = last
