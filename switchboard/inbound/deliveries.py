"""Reading the delivery record: the log's pages, and one delivery whole."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from switchboard.access.principals import Operator
from switchboard.errors import Invalid, NotFound
from switchboard.inbound import floods, log_store
from switchboard.lib import clock
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean
from switchboard.models import Delivery

STATUSES = ("accepted", "refused", "failed")
COLUMNS = ("status", "code", "kind", "source", "event")
FILTERS = (*COLUMNS, "text", "since", "until")
MAX_TEXT = 200
SHOWN_BODY_BYTES = 16_384
KEPT_WITH = (200, 202, 403, 422)  # the answers after which a body is kept
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)  # no delivery is older


@dataclass(frozen=True)
class Page:
    """Deliveries, newest first, and the `after` of the next page (None: there is none)."""

    deliveries: list[dict[str, Any]]
    next: str | None


def search(
    lib: Plumbing,
    operator: Operator,
    filters: Mapping[str, str] | None = None,
    *,
    since: datetime | None = None,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The deliveries of the sources in view that came at `since` or later, newest first.

    The filter `source` is an id, or a name, which may mean several sources; `since` and `until` are
    times (RFC 3339, or 2h, 7d: so long ago); `text` is sought in subject, reason, event and ids of
    the newest rows, and a page with fewer than `limit` may still have a next one. An unknown filter
    raises Invalid.
    """
    wanted = _wanted(filters or {}, since)
    size = max(1, min(limit, MAX_LIMIT))
    floods.settle(lib)
    with lib.db.read() as session:
        rows, looked_at = log_store.newest(
            session,
            operator.visible,
            with_unknown=operator.is_admin,
            wanted=wanted,
            after=after,
            limit=size + 1,
        )
    shown = [describe(row, name) for row, name in rows[:size]]
    return Page(shown, shown[-1]["id"] if len(rows) > size else looked_at)


def _wanted(filters: Mapping[str, str], since: datetime | None) -> log_store.Wanted:
    given = {name: value for name, value in filters.items() if value}
    if strange := set(given) - set(FILTERS):
        raise Invalid(f"Filters are {', '.join(FILTERS)}.", field=min(strange))
    if given.get("status", STATUSES[0]) not in STATUSES:
        raise Invalid(f"A status is one of {', '.join(STATUSES)}.", field="status")
    if len(given.get("text", "")) > MAX_TEXT:
        raise Invalid(f"A text to search for has up to {MAX_TEXT} characters.", field="text")
    since = since or _moment(given, "since")
    return log_store.Wanted(
        {name: given[name] for name in COLUMNS if name in given},
        text=given.get("text"),
        since=since and max(since, BEGINNING),
        until=_moment(given, "until"),
    )


def _moment(given: Mapping[str, str], name: str) -> datetime | None:
    if name not in given:
        return None
    try:
        return clock.moment(given[name])
    except ValueError as error:
        raise Invalid(f"{name}: {error}.", field=name) from None


def describe(row: Delivery, source_name: str | None) -> dict[str, Any]:
    """A delivery as JSON, without headers and body."""
    return {
        "id": row.id,
        "source": source_name,
        "source_id": row.source_id,
        "kind": row.kind,
        "event_type": row.event_type,
        "delivery_id": row.sender_id,
        "subject": row.subject,
        "status": row.status,
        "http_status": row.http_status,
        "code": row.code,
        "reason": row.reason,
        "attempt": row.attempt,
        "count": row.count,
        "duration_ms": row.duration_ms,
        "bytes": row.bytes,
        "body_sha256": row.body_sha256 or None,
        "remote_addr": row.remote_addr,
        "verified": row.verified,
        "trust": row.trust,
        "outcome": row.outcome,
        "diagnosis": row.diagnosis,
        "replay_of": row.replay_of,
        "received_at": clock.iso(row.received_at),
        "last_attempt_at": clock.iso(row.last_attempt_at),
    }


def whole(lib: Plumbing, operator: Operator, delivery_id: str) -> dict[str, Any]:
    """One delivery with headers and, if it was authenticated, the first 16 KiB of its body.

    `body` is text or None, `body_state` says why: `whole`, `cut`, `unauthenticated`, `not_kept` (a
    refusal after which the sender may try again) or `expired`.
    Raises NotFound outside the operator's view.
    """
    row, name, raw = found(lib, operator, delivery_id)
    body, state = None, _why_without_body(row)
    if raw is not None:
        body = raw[:SHOWN_BODY_BYTES].decode("utf-8", "replace")
        state = "whole" if len(raw) <= SHOWN_BODY_BYTES else "cut"
    return describe(row, name) | {"headers": row.headers, "body": body, "body_state": state}


def _why_without_body(row: Delivery) -> str:
    if row.trust is None:
        return "unauthenticated"
    return "expired" if row.http_status in KEPT_WITH else "not_kept"


def found(
    lib: Plumbing, operator: Operator, delivery_id: str
) -> tuple[Delivery, str | None, bytes | None]:
    """A delivery, its source's name and its whole body (None: not kept). Raises NotFound."""
    with lib.db.read() as session:
        seen = log_store.delivery_in(
            session, delivery_id, operator.visible, with_unknown=operator.is_admin
        )
    if seen is None:
        raise NotFound("There is no such delivery.")
    row, name, body = seen
    return row, name, zlib.decompress(body) if body is not None else None


def pretty(body: str) -> str:
    """`body` indented when it is JSON, else as it is; what is no character is replaced."""
    try:
        return clean(json.dumps(json.loads(body), indent=2, ensure_ascii=False))
    except (ValueError, RecursionError):
        return body
