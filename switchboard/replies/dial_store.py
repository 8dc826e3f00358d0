"""The SQL of dialling and of its proof, on the short way (`lib/express.py`) as it is done for every post.

Claiming a dial is one conditional UPDATE: exactly one worker gets it. What is then posted is hashed in the
same statement, so that its echo is known whatever the connection's signature was before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import and_, bindparam, case, func, null, or_, select, update

from switchboard.lib.express import Express, Prepared, Write
from switchboard.models import Connection, Reply
from switchboard.models.base import table_of
from switchboard.providers.base import Posted

_REPLIES = table_of(Reply)


@dataclass(frozen=True)
class Undialled:
    """A reply nobody has claimed, with the connection it was resolved to (None: deleted since)."""

    id: str
    endpoint_id: str | None
    tries: int
    address: dict[str, Any]
    text: str
    connection_id: str | None
    kind: str
    account_key: str
    fingerprint: str
    secret: str = field(repr=False)
    targets: list[str]
    endpoints: list[str]
    signature: str | None
    closed_until: datetime | None


_C = _REPLIES.c
_FIND_UNDIALLED = Prepared(
    select(
        _C.id,
        _C.endpoint_id,
        _C.tries,
        _C.address,
        _C.text,
        Connection.id,
        Connection.kind,
        Connection.account_key,
        Connection.secret_fingerprint,
        Connection.secret,
        Connection.targets,
        Connection.endpoints,
        Connection.signature,
        Connection.closed_until,
    )
    .outerjoin(Connection, Connection.id == _C.connection_id)
    .where(
        _C.id == bindparam("reply_id"),
        _C.state == "pending",
        _C.dial_started_at.is_(None),
    )
)
_UNCLAIMED = (_C.id == bindparam("reply_id"), _C.state == "pending", _C.dial_started_at.is_(None))
_CLAIM = Prepared(
    update(_REPLIES)
    .where(*_UNCLAIMED, or_(_C.not_before.is_(None), _C.not_before <= bindparam("now")))
    .values(dial_started_at=bindparam("now"), tries=_C.tries + 1, posted_sha256=bindparam("sha256"))
)
_RELEASE = Prepared(
    update(_REPLIES)
    .where(_C.id == bindparam("reply_id"), _C.state == "pending")
    .values(dial_started_at=null(), not_before=bindparam("until"))
)
_POSTPONE = Prepared(update(_REPLIES).where(*_UNCLAIMED).values(not_before=bindparam("until")))
_NEW = {
    name: bindparam(f"new_{name}", type_=_C[name].type)
    for name in ("state", "error_class", "error_code", "provider_object_id", "permalink")
}
# its echo came while it was being dialled: whatever the dial saw, it was posted
_PROVEN = and_(_NEW["state"] == "unknown", _C.provider_object_id.is_not(None))
_SETTLE = Prepared(
    update(_REPLIES)
    .where(_C.id == bindparam("reply_id"), _C.state.in_(["pending", bindparam("overwrites")]))
    .values(
        state=case((_PROVEN, "sent"), else_=_NEW["state"]),
        error_class=case((_PROVEN, null()), else_=_NEW["error_class"]),
        error_code=case((_PROVEN, null()), else_=_NEW["error_code"]),
        provider_object_id=func.coalesce(_NEW["provider_object_id"], _C.provider_object_id),
        permalink=_NEW["permalink"],
        finished_at=bindparam("finished_at"),
    )
)


def find_undialled(express: Express, reply_id: str) -> Undialled | None:
    """A pending reply that nobody has claimed."""
    rows = express.rows(_FIND_UNDIALLED, {"reply_id": reply_id})
    return Undialled(*rows[0]) if rows else None


def claim_write(reply_id: str, now: datetime, posted_sha256: str) -> Write:
    """Take the dial of a pending, unclaimed, due reply; Lost for all but one caller."""
    values = {"reply_id": reply_id, "now": now, "sha256": posted_sha256}
    return Write(_CLAIM, values, rows=1)


def release_write(reply_id: str, until: datetime) -> Write:
    """Give the dial back, for somebody to take it then: nothing was posted."""
    return Write(_RELEASE, {"reply_id": reply_id, "until": until})


def postpone_write(reply_id: str, until: datetime) -> Write:
    """Let an unclaimed reply wait until then."""
    return Write(_POSTPONE, {"reply_id": reply_id, "until": until})


def settle_write(reply_id: str, overwrites: str, outcome: Posted, now: datetime) -> Write:
    """Write the outcome while the row is pending, or in the state it `overwrites`."""
    return Write(
        _SETTLE,
        {
            "reply_id": reply_id,
            "overwrites": overwrites,
            "new_state": outcome.state,
            "new_error_class": outcome.error_class,
            "new_error_code": outcome.error_code,
            "new_provider_object_id": outcome.object_id,
            "new_permalink": outcome.permalink,
            "finished_at": now,
        },
    )


_WAS_UNKNOWN = _C.state == "unknown"
_PROVE = Prepared(
    update(_REPLIES)
    .where(_C.id == bindparam("row_id"), _C.provider_object_id.is_(None))
    .values(
        state=case((_WAS_UNKNOWN, "sent"), else_=_C.state),
        error_class=case((_WAS_UNKNOWN, null()), else_=_C.error_class),
        error_code=case((_WAS_UNKNOWN, null()), else_=_C.error_code),
        provider_object_id=bindparam("object_id"),
        finished_at=case((_WAS_UNKNOWN, bindparam("at")), else_=_C.finished_at),
    )
)


_ECHO = Prepared(
    update(_REPLIES)
    .where(_C.id == bindparam("row_id"), _C.echo_delivery_id.is_(None))
    .values(echo_delivery_id=bindparam("delivery_id"))
)


def echo_write(reply_id: str, delivery_id: str) -> Write:
    """The delivery by which the reply came back first."""
    return Write(_ECHO, {"row_id": reply_id, "delivery_id": delivery_id})


def proof_write(reply_id: str, object_id: str, at: datetime) -> Write:
    """What the reply made at the provider is known; an unknown one was posted after all."""
    return Write(_PROVE, {"row_id": reply_id, "object_id": object_id, "at": at})
