"""The SQL of hook calls, on the short way (`lib/express.py`): kept, claimed, settled.

Claiming an attempt is one conditional UPDATE: exactly one process gets it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import and_, bindparam, delete, exists, or_, select, update

from switchboard.access.principals import CONFIGURING_ROLES
from switchboard.lib.express import Express, Prepared, Write, insert_into
from switchboard.models import (
    Account,
    Endpoint,
    EndpointHook,
    HookCall,
    Membership,
    Source,
    Todo,
)
from switchboard.models.base import UTCDateTime, table_of
from switchboard.models.endpoints import live_endpoint

_CALLS, _HOOKS = table_of(HookCall), table_of(EndpointHook)
_C, _H = _CALLS.c, _HOOKS.c


@dataclass(frozen=True)
class Found:
    """A due call with its hook and its todo; `slug` is None when the endpoint may not work any more."""

    id: str
    endpoint_id: str
    attempts: int
    created_at: datetime
    url: str = field(repr=False)
    secret: str = field(repr=False)
    fingerprint: str
    previous_secret: str | None = field(repr=False)
    previous_until: datetime | None
    failures: int
    slug: str | None
    todo_id: str
    todo_state: str
    queue: str
    kind: str
    title: str
    reply_to: dict[str, Any] | None
    source: str | None

    @property
    def wanted(self) -> bool:
        """Whether anybody still needs this bell: the endpoint may work and the todo waits."""
        return self.slug is not None and self.todo_state == "pending"


# As `access.endpoints.recognise`: what its voucher may no longer stand for calls nobody either.
_STANDS_FOR_TEAM = exists().where(
    Membership.account_id == Account.id,
    Membership.team_id == Endpoint.owner_team_id,
    or_(*(Membership.role == role for role in CONFIGURING_ROLES)),
)
_VOUCHED = or_(
    Endpoint.vended_by_account_id.is_(None),
    exists().where(
        Account.id == Endpoint.vended_by_account_id,
        Account.disabled_at.is_(None),
        or_(Endpoint.owner_team_id.is_(None), _STANDS_FOR_TEAM),
    ),
)
_DUE = (
    HookCall.state == "pending",
    HookCall.claimed_at.is_(None),
    HookCall.next_at <= bindparam("now", type_=UTCDateTime),
)


def _find(*where: Any) -> Prepared:
    return Prepared(
        select(
            HookCall.id,
            HookCall.endpoint_id,
            HookCall.attempts,
            HookCall.created_at,
            EndpointHook.url,
            EndpointHook.secret,
            EndpointHook.secret_fingerprint,
            EndpointHook.previous_secret,
            EndpointHook.previous_until,
            EndpointHook.failures,
            Endpoint.slug,
            Todo.id,
            Todo.state,
            Todo.queue,
            Todo.kind,
            Todo.title,
            Todo.reply_to,
            Source.name,
        )
        .join(EndpointHook, EndpointHook.endpoint_id == HookCall.endpoint_id)
        .join(Todo, Todo.id == HookCall.todo_id)
        .outerjoin(
            Endpoint,
            and_(
                Endpoint.id == HookCall.endpoint_id,
                live_endpoint(bindparam("now", type_=UTCDateTime)),
                _VOUCHED,
            ),
        )
        .outerjoin(Source, Source.id == Todo.source_id)
        .where(*_DUE, *where)
        .order_by(HookCall.id)
        .limit(1)
    )


_FIND_DUE = _find(HookCall.id == bindparam("call_id"))
_FIND_NEXT = _find(HookCall.endpoint_id == bindparam("endpoint_id"))
_INSERT = insert_into(_CALLS)
_CLAIM = Prepared(
    update(_CALLS)
    .where(
        _C.id == bindparam("call_id"),
        _C.state == "pending",
        _C.claimed_at.is_(None),
        _C.attempts == bindparam("attempts"),
    )
    .values(claimed_at=bindparam("now"), attempts=bindparam("begun"))
)
_DROP = Prepared(delete(_CALLS).where(_C.id == bindparam("call_id"), _C.claimed_at.is_(None)))
# a sweep may have taken the attempt back meanwhile, and then another one is under way
_OURS = (
    _C.id == bindparam("call_id"),
    _C.state == "pending",
    _C.claimed_at.is_not(None),
    _C.attempts == bindparam("attempts"),
)
_SENT = Prepared(
    update(_CALLS)
    .where(*_OURS)
    .values(state="sent", error_class=None, error_code=None, finished_at=bindparam("now"))
)
_AGAIN = Prepared(
    update(_CALLS)
    .where(*_OURS)
    .values(
        claimed_at=None,
        next_at=bindparam("again_at", type_=UTCDateTime),
        error_class=bindparam("new_class"),
        error_code=bindparam("new_code"),
    )
)
_FAILED = Prepared(
    update(_CALLS)
    .where(*_OURS)
    .values(
        state="failed",
        error_class=bindparam("new_class"),
        error_code=bindparam("new_code"),
        finished_at=bindparam("now"),
    )
)
# what the hook was called with must still be what it is: another address has its own health
_SAME_HOOK = (
    _H.endpoint_id == bindparam("hook_of"),
    _H.secret_fingerprint == bindparam("fingerprint"),
)
_WORKED = Prepared(
    update(_HOOKS)
    .where(*_SAME_HOOK)
    .values(last_success_at=bindparam("at", type_=UTCDateTime), failures=0)
)
_BROKE = Prepared(
    update(_HOOKS)
    .where(*_SAME_HOOK)
    .values(
        last_failure_at=bindparam("at", type_=UTCDateTime),
        last_failure_class=bindparam("new_class"),
        last_failure_code=bindparam("new_code"),
        failures=_H.failures + 1,
    )
)


def insert_write(
    call_id: str, endpoint_id: str, todo_id: str, at: datetime, now: datetime
) -> Write:
    """Keep a call that is due `at` that time."""
    row = {
        "id": call_id,
        "endpoint_id": endpoint_id,
        "todo_id": todo_id,
        "state": "pending",
        "attempts": 0,
        "next_at": at,
        "claimed_at": None,
        "error_class": None,
        "error_code": None,
        "created_at": now,
        "finished_at": None,
    }
    return Write(_INSERT, row, rows=1)


def find_due(express: Express, call_id: str, now: datetime) -> Found | None:
    """The call of that id if it is due and nobody has claimed it."""
    return _found(express.rows(_FIND_DUE, {"call_id": call_id, "now": now}))


def find_next(express: Express, endpoint_id: str, now: datetime) -> Found | None:
    """The oldest such call of an endpoint."""
    return _found(express.rows(_FIND_NEXT, {"endpoint_id": endpoint_id, "now": now}))


def _found(rows: list[tuple[Any, ...]]) -> Found | None:
    return Found(*rows[0]) if rows else None


def claim_write(call_id: str, attempts: int, now: datetime) -> Write:
    """Begin the attempt after so many; Lost for all but one caller."""
    values = {"call_id": call_id, "attempts": attempts, "begun": attempts + 1, "now": now}
    return Write(_CLAIM, values, rows=1)


def drop_write(call_id: str) -> Write:
    """Nobody needs this bell any more."""
    return Write(_DROP, {"call_id": call_id})


def sent_write(call_id: str, attempts: int, now: datetime) -> Write:
    """The attempt of that number was taken."""
    return Write(_SENT, {"call_id": call_id, "attempts": attempts, "now": now})


def again_write(call_id: str, attempts: int, failure: tuple[str, str], again_at: datetime) -> Write:
    """That attempt failed, with that class and code, and another may begin then."""
    values = {"call_id": call_id, "attempts": attempts, "again_at": again_at}
    return Write(_AGAIN, values | _failure(failure))


def failed_write(call_id: str, attempts: int, failure: tuple[str, str], now: datetime) -> Write:
    """That attempt failed, and it was the last."""
    values = {"call_id": call_id, "attempts": attempts, "now": now}
    return Write(_FAILED, values | _failure(failure))


def health_write(
    endpoint_id: str, fingerprint: str, failure: tuple[str, str] | None, at: datetime
) -> Write:
    """How a call of the hook with that secret went (None: well)."""
    values: dict[str, Any] = {"hook_of": endpoint_id, "fingerprint": fingerprint, "at": at}
    if failure is None:
        return Write(_WORKED, values)
    return Write(_BROKE, values | _failure(failure))


def _failure(failure: tuple[str, str]) -> dict[str, str]:
    return {"new_class": failure[0], "new_code": failure[1]}
