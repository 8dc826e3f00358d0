"""What of the threads needs a human."""

from __future__ import annotations

from typing import Any

from switchboard.access.principals import Operator
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.threads import refs, store
from switchboard.threads.people import Names

ADOPT_WITHIN_SECONDS = 86_400
MAX_UNADOPTED = 20


def unadopted(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """Open tickets in view that a source opened over a day ago and nobody adopted, oldest first."""
    first_id = ids.first_at("thread", clock.ago(ADOPT_WITHIN_SECONDS))
    with lib.db.read() as session:
        rows = store.unadopted_before(session, operator.visible, first_id, MAX_UNADOPTED)
        names = Names(session, [thread for thread, _ in rows])
        return [
            {
                "id": thread.id,
                "ref": refs.ref(thread.kind, repo, thread.number),
                "title": thread.title,
                "author": names.author(thread),
                "created_at": clock.iso(thread.created_at),
            }
            for thread, repo in rows
        ]
