"""What an agent holds: the todo whose work item it may ask about and be reached for."""

from __future__ import annotations

from sqlalchemy.orm import Session

from switchboard.access.principals import Agent
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Todo
from switchboard.sessions import held_store, refs
from switchboard.sessions.refs import WorkItem


def todo_of(lib: Plumbing, session: Session, agent: Agent, item: WorkItem) -> Todo | None:
    """A todo that the agent's endpoint has claimed and whose work item that is, or None."""
    if item.kind == "todo":
        return held_store.claimed(session, agent.endpoint_id, item.name)
    if item.kind == "ticket":
        return held_store.claimed_of_ticket(session, agent.endpoint_id, *_ticket(item))
    address = refs.address_of(lib, item)
    assert address is not None
    return held_store.claimed_at(session, agent.endpoint_id, address["key"])


def owner_of(session: Session, item: WorkItem) -> str | None:
    """The id of the owner of a todo or ticket; None for what is not there, and for places elsewhere."""
    if item.kind == "todo":
        return held_store.owner_of_todo(session, item.name)
    return held_store.owner_of_ticket(session, *_ticket(item)) if item.kind == "ticket" else None


def agent_knows_secret(session: Session, todo: Todo) -> bool:
    """Whether an agent could have made that todo, by what it signed itself."""
    return held_store.agent_knows_secret(session, todo)


def _ticket(item: WorkItem) -> tuple[str, int]:
    repo, _, number = item.name.rpartition("#")
    return repo, int(number)


def place_of(session: Session, item: WorkItem) -> dict[str, str] | None:
    """Where the comments of a todo or ticket are, as a comment's column and its value; None: not there."""
    if item.kind == "ticket":
        thread_id = held_store.ticket_id(session, *_ticket(item))
        return {"thread_id": thread_id} if thread_id else None
    return held_store.comments_of_todo(session, item.name)
