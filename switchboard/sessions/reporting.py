"""The report: a marked comment on the work item that quotes the answer brought. Best effort."""

from __future__ import annotations

from switchboard.access import owners
from switchboard.access.principals import Operator
from switchboard.errors import Problem
from switchboard.lib.plumbing import Plumbing
from switchboard.models import AgentSession, SessionMessage
from switchboard.replies import marker, posting
from switchboard.replies.accept import Waiting
from switchboard.replies.posting import Post
from switchboard.sessions import commenting, refs, store
from switchboard.sessions.commenting import Said

PURPOSE = "report"


def report(
    lib: Plumbing,
    operator: Operator,
    found: AgentSession,
    message: SessionMessage,
    waiting: Waiting,
) -> list[str]:
    """Post the report of an answer that was brought; warnings where it did not come through.

    The answer stands whatever becomes of its report.
    """
    try:
        said = _say(lib, operator, found, message, waiting)
    except Problem as problem:
        said = Said(False, reason=problem.detail)
    if said.reply_id:
        with lib.db.write() as session:
            store.message(session, message.id).reply_id = said.reply_id
    return [] if said.posted else [f"The answer stands. {said.reason}"]


def _say(
    lib: Plumbing,
    operator: Operator,
    found: AgentSession,
    message: SessionMessage,
    waiting: Waiting,
) -> Said:
    item = refs.parse(lib, found.ref)
    text = marker.stamp(_quote(message.text), f"{message.actor} answered the agent's question")
    address = refs.address_of(lib, item)
    if address is None:
        return commenting.on_own_thread(lib, operator, item, None, text, message.via)
    with lib.db.read() as session:
        owner = owners.by_id(session, found.owner_id)
    post = Post(
        PURPOSE,
        owner,
        address,
        text,
        message.id,
        aimed_by_agent=posting.aimed_by_agent(lib, found.endpoint_id, address),
    )
    return commenting.at_provider(lib, post, lambda row: posting.have_dialled(lib, row, waiting))


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))
