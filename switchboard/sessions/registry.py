"""Sessions: registered, listed, paused, resumed, ended, seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access import endpoints, owners
from switchboard.access.principals import Agent, Machine, Operator, Owner
from switchboard.errors import BadRequest, Conflict, Invalid, NotFound
from switchboard.events import log
from switchboard.events.log import Actor
from switchboard.lib import clock, ids
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.models import AgentSession
from switchboard.sessions import held, refs, store, tmux
from switchboard.sessions.refs import WorkItem
from switchboard.sessions.tmux import Pane

FAMILY = "session"
STATES = ("active", "paused", "ended")
SEEN_EVERY = timedelta(seconds=30)


@dataclass(frozen=True)
class NewPane:
    """A pane of this machine in which an agent works on `ref`; `owner` may be None where there is one."""

    ref: str
    target: str
    socket: str | None = None
    owner: Mapping[str, Any] | str | None = None


@dataclass(frozen=True)
class Page:
    """Sessions, newest first, and the `after` of the next page (None: there is none)."""

    sessions: list[dict[str, Any]]
    next: str | None


def register_pane(lib: Plumbing, machine: Machine, new: NewPane) -> dict[str, Any]:
    """Say that the agent of a work item is reached in a pane: for the machine itself alone.

    It takes the place of whatever session the owner had on that work item; one in that same pane goes on,
    and stays paused if it was. Raises BadRequest `malformed_ref`, Invalid for a pane that cannot be, and as
    `whose`.
    """
    item, pane = refs.parse(lib, new.ref), Pane(new.target, new.socket)
    known_as = tmux.identity(pane)
    with lib.db.write() as session:
        owner = whose(session, machine, item, new.owner)
        for earlier in store.live(session, str(item), [owner.id], locked=True):
            if (earlier.transport, earlier.target, earlier.socket) == (
                "tmux",
                pane.target,
                pane.socket,
            ):
                earlier.pane, earlier.last_seen_at = known_as, clock.now()
                return describe(session, [earlier])[0]
            _end(session, machine.actor, earlier)
        where = {"target": pane.target, "socket": pane.socket, "pane": known_as}
        made = _add(session, owner, machine.actor, item, transport="tmux", **where)
        made.last_seen_at = clock.now()
        return describe(session, [made])[0]


def whose(
    session: Session, machine: Machine, item: WorkItem, given: Mapping[str, Any] | str | None
) -> Owner:
    """The owner meant at the command line: the one given, that of the session on the item, the only one.

    A todo or ticket of ours has one. Raises Invalid where none of them is, NotFound.
    """
    named = None if given is None else owners.named(session, machine, given)
    its_own = held.owner_of(session, item)
    if its_own is not None and named is not None and named.id != its_own:
        raise NotFound(f"{named.name} has no such {item.kind}.", field="owner")
    if named is not None:
        return named
    if its_own is not None:
        return owners.by_id(session, its_own)
    known = {each.owner_id for each in store.live(session, str(item), None)}
    if len(known) == 1:
        return owners.by_id(session, known.pop())
    only = owners.the_only(session)
    if only is None:
        raise Invalid("Say whose it is, with --owner: there are several.", field="owner")
    return only


def register_mailbox(lib: Plumbing, agent: Agent, ref: str) -> dict[str, Any]:
    """Open the agent's mailbox for the work item of a todo it holds; the one it has, if it has one.

    Raises Forbidden, BadRequest `malformed_ref`, Conflict `not_claimed`, or `conflict` where another
    session works on it.
    """
    agent.require(FAMILY)
    item = refs.parse(lib, ref)
    with lib.db.write() as session:
        if held.todo_of(lib, session, agent, item) is None:
            raise Conflict(
                "You hold no todo of this work item. Claim it first.", "not_claimed", field="ref"
            )
        made = _mailbox(session, agent.actor, item, agent.owner_id, agent.endpoint_id)
        made.last_seen_at = clock.now()
        return describe(session, [made])[0]


def register_mailbox_of(lib: Plumbing, machine: Machine, ref: str, endpoint: str) -> dict[str, Any]:
    """Open the mailbox of an endpoint for any work item: for the machine itself alone.

    Raises BadRequest `malformed_ref`, NotFound for no such endpoint, Conflict as `register_mailbox`.
    """
    item = refs.parse(lib, ref)
    with lib.db.write() as session:
        found = endpoints.configurable(session, machine, endpoint)
        made = _mailbox(session, machine.actor, item, found.owner_id, found.id)
        return describe(session, [made])[0]


def _mailbox(
    session: Session, by: Actor, item: WorkItem, owner_id: str, endpoint_id: str
) -> AgentSession:
    """The endpoint's mailbox for the work item, new or not; its agent need not have been seen yet."""
    for other in store.live(session, str(item), [owner_id], locked=True):
        if other.endpoint_id == endpoint_id and other.transport == "mailbox":
            return other
        if other.endpoint_id and endpoints.has_ended(session, other.endpoint_id):
            _end(session, by, other)  # nobody can open that mailbox any more
            continue
        raise Conflict("Another session works on this work item; a human can end it.")
    owner = owners.by_id(session, owner_id)
    return _add(session, owner, by, item, transport="mailbox", endpoint_id=endpoint_id)


def _add(
    session: Session, owner: Owner, by: Actor, item: WorkItem, **reached: str | None
) -> AgentSession:
    made = AgentSession(
        id=ids.new("session"),
        ref=str(item),
        state="active",
        created_at=clock.now(),
        **owner.columns,
        **reached,
    )
    session.add(made)
    try:
        session.flush()
    except IntegrityError:
        raise Conflict("Another session just began on this work item. Try again.") from None
    note(session, by, "registered", made, transport=made.transport)
    return made


def note(
    session: Session,
    by: Actor,
    what: str,
    about: AgentSession,
    at: datetime | None = None,
    **data: Any,
) -> None:
    """Write that something happened to a session, now unless `at` says when."""
    log.append(
        session,
        by,
        log.Happened(
            f"session.{what}",
            about.owner_id,
            about.id,
            one_line(about.ref, 100),
            ref=about.ref,
            data={"work_item": about.ref, **data},
        ),
        at=at,
    )


def in_view(
    lib: Plumbing,
    operator: Operator,
    *,
    ref: str | None = None,
    state: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The sessions in view, newest first. Raises BadRequest `malformed_ref`, Invalid for a state."""
    if state is not None and state not in STATES:
        raise Invalid(f"A state is one of {', '.join(STATES)}.", field="state")
    item = None if ref is None else str(refs.parse(lib, ref))
    size = max(1, min(limit, MAX_LIMIT))
    with lib.db.read() as session:
        found = store.search(
            session, operator.visible, ref=item, state=state, after=after, limit=size + 1
        )
        shown = describe(session, found[:size])
    return Page(shown, shown[-1]["id"] if len(found) > size else None)


def describe(session: Session, rows: list[AgentSession]) -> list[dict[str, Any]]:
    """Sessions as JSON."""
    labels = owners.labels_of(session, {row.owner_id for row in rows})
    names = endpoints.names(session, {row.endpoint_id for row in rows if row.endpoint_id})
    return [
        {
            "id": row.id,
            "ref": row.ref,
            "owner": labels.get(row.owner_id),
            "endpoint": names.get(row.endpoint_id or ""),
            "transport": row.transport,
            "target": row.target,
            "socket": row.socket,
            "state": row.state,
            "last_seen_at": clock.iso(row.last_seen_at),
            "created_at": clock.iso(row.created_at),
            "ended_at": clock.iso(row.ended_at),
        }
        for row in rows
    ]


def pause(lib: Plumbing, operator: Operator, name: str) -> dict[str, Any]:
    """Let no answer through to a session, by its id or work item, until it is resumed.

    Raises NotFound, Forbidden, Conflict for one that has ended or where several owners have one.
    """
    return _turn(lib, operator, name, "paused", "paused")


def resume(lib: Plumbing, operator: Operator, name: str) -> dict[str, Any]:
    """Let answers through again. Raises as `pause`."""
    return _turn(lib, operator, name, "active", "resumed")


def end(lib: Plumbing, operator: Operator, name: str) -> dict[str, Any]:
    """End a session for good; what is in its mailbox stays unread. Raises as `pause`."""
    return _turn(lib, operator, name, "ended", "ended")


def _turn(lib: Plumbing, operator: Operator, name: str, state: str, event: str) -> dict[str, Any]:
    with lib.db.write() as session:
        called = store.called(session, _wanted(lib, name), operator.visible)
        found = owners.the_one(called, name, "session")
        operator.may_configure(found.owner_id)
        if found.state == "ended" and state != "ended":
            raise Conflict("The session has ended; its agent can register anew.")
        if found.state != state:
            if state == "ended":
                _end(session, operator.actor, found)
            else:
                found.state = state
                note(session, operator.actor, event, found)
        return describe(session, [found])[0]


def _wanted(lib: Plumbing, name: str) -> str:
    """An id as it is, a work item in its canonical form; what is neither is no session."""
    if ids.is_id(name, "session"):
        return name
    try:
        return str(refs.parse(lib, name))
    except BadRequest:
        raise NotFound("There is no such session.") from None


def _end(session: Session, by: Actor, found: AgentSession) -> None:
    found.state, found.ended_at = "ended", clock.now()
    session.flush()  # before another takes its place
    note(session, by, "ended", found)


def seen(session: Session, session_id: str) -> None:
    """Note that the agent of a session was just heard from."""
    now = clock.now()
    store.touch(session, session_id, now, now - SEEN_EVERY)
