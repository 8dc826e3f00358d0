"""Saying something on a work item: a comment on our own thread, or a post at the provider.

Whatever is said here bears the mark (`replies/marker.py`), so that it never comes back as work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from switchboard.access.principals import Agent, Operator
from switchboard.lib.plumbing import Plumbing
from switchboard.replies import posting
from switchboard.replies.posting import Post
from switchboard.sessions.refs import WorkItem
from switchboard.threads import comments

Dial = Callable[[str], dict[str, Any]]


@dataclass(frozen=True)
class Said:
    """What became of it: `posted` only where it surely stands there, with its URL if that is known.

    `reason` says why not, in one sentence.
    """

    posted: bool
    url: str = ""
    reply_id: str | None = None
    reason: str = ""


def on_own_thread(
    lib: Plumbing, who: Operator | Agent, item: WorkItem, todo_id: str | None, text: str, via: str
) -> Said:
    """Comment on the todo or ticket. Raises as `threads.comments` does."""
    if item.kind == "todo" or todo_id:
        made = comments.add_on_todo(lib, who, todo_id or item.name, text, via=via)
    else:
        assert isinstance(who, Operator)
        made = comments.add(lib, who, str(item), text, via=via)
    page = f"threads/{made['thread']}" if made["thread"] else f"todos/{made['todo']}"
    return Said(True, f"{lib.settings.base_url}/{page}")


def at_provider(lib: Plumbing, post: Post, dial: Dial) -> Said:
    """Post it as `dial` has it dialled. Raises as `posting.keep` does."""
    outcome = dial(posting.keep(lib, post))
    state, url = outcome["state"], outcome["permalink"] or ""
    if state == "sent":
        return Said(True, url, outcome["reply_id"])
    return Said(False, url, outcome["reply_id"], _why_not(state, outcome))


def _why_not(state: str, outcome: dict[str, Any]) -> str:
    cause = " ".join(filter(None, (outcome["error_class"], outcome["error_code"])))
    if state == "pending":
        return "The comment waits for its turn, or is being posted just now; it is not known to stand yet."
    if state == "unknown":
        return f"Nobody can tell whether the comment was posted ({cause}); it is not tried again."
    return f"The comment was not posted ({cause})."
