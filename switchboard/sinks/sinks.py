"""Managing sinks: add, list, edit, test, delete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.access import owners
from switchboard.access.principals import Operator
from switchboard.errors import Conflict, NotFound, RateLimited
from switchboard.events import log as events
from switchboard.faults import book as faults
from switchboard.lib import clock, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.ratelimit import SIX_A_MINUTE
from switchboard.models import Sink
from switchboard.outbox import tell
from switchboard.sinks import given, outbox_store, sending, store
from switchboard.sinks.fault_codes import FAILING


@dataclass(frozen=True)
class NewSink:
    """What adding a sink needs. An email one may have an `address`, the others have a `connection`."""

    kind: str
    name: str
    owner: Mapping[str, Any] | str | None = None
    address: str | None = None
    connection: str | None = None
    events: Sequence[str] = given.DEFAULT_EVENTS


def add(lib: Plumbing, operator: Operator, new: NewSink) -> dict[str, Any]:
    """Keep a sink. Raises Invalid, NotFound, Forbidden, Conflict (also `mail_not_configured`)."""
    kind = given.check_kind(lib, new.kind)
    address = given.check_address(kind, new.address)
    wanted = given.check_events(new.events)
    with lib.db.write() as session:
        owner = owners.resolve(session, operator, new.owner)
        sink = Sink(
            id=ids.new("sink"),
            kind=kind,
            name=owners.check_name(new.name),
            **owner.columns,
            address=address,
            connection_id=given.check_connection(session, operator, owner, kind, new.connection),
            events=wanted,
            created_by_account_id=operator.creator_id,
            created_at=clock.now(),
            failures=0,
        )
        session.add(sink)
        try:
            session.flush()
        except IntegrityError:
            raise Conflict(f"{owner.name} has a sink of that name.", field="name") from None
        _note(session, operator, "added", sink, events=wanted)
        return _described(session, [sink])[0]


def in_view(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The sinks the operator may see, oldest first."""
    with lib.db.read() as session:
        return _described(session, store.sinks_in(session, operator.visible))


def managed(lib: Plumbing, operator: Operator) -> set[str]:
    """The ids of the sinks that the operator may change."""
    with lib.db.read() as session:
        return {sink.id for sink in store.sinks_in(session, operator.configurable)}


def subscribe(lib: Plumbing, operator: Operator, ref: str, wanted: Sequence[str]) -> dict[str, Any]:
    """Change what a sink is told of. Raises Invalid, NotFound, Forbidden."""
    checked = given.check_events(wanted)
    with lib.db.write() as session:
        sink = _configurable(session, operator, ref)
        sink.events = checked
        session.flush()
        _note(session, operator, "edited", sink, events=checked)
        return _described(session, [sink])[0]


def delete(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """Forget a sink and what waits in it; its connection stays."""
    with lib.db.write() as session:
        sink = _configurable(session, operator, ref)
        gone = _described(session, [sink])[0]
        faults.clear_in(session, FAILING, sink.id)
        session.delete(sink)
        _note(session, operator, "deleted", sink)
        return gone


def test(lib: Plumbing, operator: Operator, ref: str) -> dict[str, Any]:
    """Send one message through a sink now: `{at, ok, class, code, to}`, which counts for its health.

    It goes to the operator where the sink reaches him among others. Raises RateLimited beyond six a
    minute, NotFound, Forbidden, Conflict where the sink reaches nobody.
    """
    with lib.db.read() as session:
        sink = _configurable(session, operator, ref)
        sink_id = sink.id
    if wait := lib.buckets.take(f"sinktest:{sink_id}", SIX_A_MINUTE):
        raise RateLimited("This sink was tested often just now.", retry_after=wait)
    with lib.db.write() as session:
        sink = _configurable(session, operator, ref)
        reader = _reader(session, operator, sink)
        notice_id = tell.write_test(session, sink, reader, sending.ATTEMPTS - 1)
    sending.send(lib, notice_id)
    with lib.db.write() as session:
        row = outbox_store.by_id(session, notice_id)
        if row is None:
            raise NotFound("The sink was deleted while it was tested.")
        said = {"ok": row.state == "sent", "class": row.error_class, "code": row.error_code}
        _note(session, operator, "tested", _configurable(session, operator, sink_id), **said)
        return {"at": clock.iso(clock.now()), **said, "to": row.address}


def _reader(session: Session, operator: Operator, sink: Sink) -> tell.Reader:
    reached = list(tell.readers(session, sink))
    if not reached:
        raise Conflict("This sink reaches nobody: its team has no members.")
    return next((each for each in reached if each.account_id == operator.account_id), reached[0])


def _configurable(session: Session, operator: Operator, ref: str) -> Sink:
    sink = owners.the_one(store.sinks_called(session, ref, operator.visible), ref, "sink")
    operator.may_configure(sink.owner_id)
    return sink


def _note(session: Session, operator: Operator, verb: str, sink: Sink, **data: Any) -> None:
    about = f"{sink.kind} {sink.name}"
    happened = events.Happened(f"sink.{verb}", sink.owner_id, sink.id, about, data)
    events.append(session, operator.actor, happened)


def _described(session: Session, sinks: Sequence[Sink]) -> list[dict[str, Any]]:
    labels = owners.labels_of(session, [sink.owner_id for sink in sinks])
    waiting = store.waiting(session, [sink.id for sink in sinks])
    names = store.connection_names(session, [sink.connection_id for sink in sinks])
    return [
        {
            "id": sink.id,
            "name": sink.name,
            "kind": sink.kind,
            "owner": labels.get(sink.owner_id),
            "address": sink.address,
            "connection": names.get(sink.connection_id or ""),
            "events": list(sink.events),
            "created_at": clock.iso(sink.created_at),
            "health": _health(sink),
            "last_success_at": clock.iso(sink.last_success_at),
            "last_failure": _last_failure(sink),
            "failures": sink.failures,
            "waiting": waiting.get(sink.id, 0),
        }
        for sink in sinks
    ]


def _last_failure(sink: Sink) -> dict[str, str | None] | None:
    if sink.last_failure_at is None:
        return None
    return {
        "at": clock.iso(sink.last_failure_at),
        "class": sink.last_failure_class,
        "code": sink.last_failure_code,
    }


def _health(sink: Sink) -> str:
    """`untested`, `works` or `fails`, by its last message."""
    if sink.failures or (sink.kind != given.EMAIL and sink.connection_id is None):
        return "fails"
    return "works" if sink.last_success_at else "untested"
