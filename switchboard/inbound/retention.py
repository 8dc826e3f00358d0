"""Letting old deliveries go, a few at a time so that no writer waits long.

A delivery goes with its body and keys after RETENTION_DAYS; one that unfinished work still needs
stays until that work ends. So do a fault, counted from when it was cleared, a call of a hook, a notice
and the token of a mail, counted from when it was over, and the line of a call of the API, which is the
only event that is ever deleted.
"""

from __future__ import annotations

from switchboard.events import calls
from switchboard.faults import book as faults
from switchboard.inbound import log_store
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.notify import sweep as hook_calls
from switchboard.sinks import sweep as outbox

AT_ONCE = 100
DAY_SECONDS = 86_400


def sweep(lib: Plumbing) -> int:
    """Delete what is older than the retention; how many deliveries went."""
    before = clock.ago(lib.settings["RETENTION_DAYS"] * DAY_SECONDS)
    faults.let_go(lib, before, AT_ONCE)
    hook_calls.let_go(lib, before, AT_ONCE)
    calls.let_go(lib, before, AT_ONCE)
    outbox.let_go(lib, before, AT_ONCE)
    return _deliveries(lib, ids.first_at("delivery", before))


def _deliveries(lib: Plumbing, before: str) -> int:
    gone, after = 0, ""
    while True:
        with lib.db.write() as session:
            deleted, last = log_store.delete_deliveries(session, after, before, AT_ONCE)
        gone += deleted
        if last is None:
            return gone
        after = last
