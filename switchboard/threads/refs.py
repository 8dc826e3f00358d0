"""What a thread is called: its id, or a work item ref such as `ticket:acme/rocket#7`."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access.principals import Operator
from switchboard.errors import Invalid, NotFound
from switchboard.lib import ids
from switchboard.models import Thread
from switchboard.threads import store

KINDS = ("ticket", "forum", "landing")
MAX_NUMBER = 2**31 - 1  # what the column holds
_REF = re.compile(r"(?:(ticket|forum|landing):)?([A-Za-z0-9._/-]{1,201})#([0-9]{1,10})", re.ASCII)


def ref(kind: str, repo: str, number: int) -> str:
    """A thread's work item ref."""
    return f"{kind}:{repo}#{number}"


def parse(text: str) -> tuple[str | None, str, int]:
    """(kind or None, repo, number) of `ticket:acme/rocket#7` or `acme/rocket#7`. Raises Invalid."""
    found = _REF.fullmatch(text)
    if found is None or not 1 <= int(found[3]) <= MAX_NUMBER:
        raise Invalid("A ref is written like ticket:acme/rocket#7.", field="ref")
    return found[1], found[2], int(found[3])


def find(session: Session, operator: Operator, given: str) -> tuple[Thread, str]:
    """The thread of that id or ref in the operator's view, and its repo's name. Raises NotFound."""
    found = None
    if ids.is_id(given, "thread"):
        found = store.in_view(session, operator.visible, given)
    elif _REF.fullmatch(given):
        kind, repo, number = parse(given)
        found = store.in_view(session, operator.visible, (repo.lower(), number))
        found = found if found and kind in (None, found[0].kind) else None
    if found is None:
        raise NotFound("There is no such thread.")
    return found


def of(session: Session, thread_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Thread id → `{id, ref, number, repo}`, for whatever stands for a thread."""
    return {
        thread_id: {
            "id": thread_id,
            "ref": ref(kind, repo, number),
            "number": number,
            "repo": repo,
        }
        for thread_id, kind, repo, number in (
            store.places(session, thread_ids) if thread_ids else []
        )
    }
