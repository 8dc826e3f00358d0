"""Replies as others see them: one whole, a todo's in a line, a todo's all, the troubled ones."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import owners
from switchboard.access.principals import Operator
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Reply
from switchboard.replies import store

TROUBLE_SECONDS = 86_400
MAX_TROUBLED = 50


def describe(reply: Reply, *, duplicate: bool = False) -> dict[str, Any]:
    """The outcome as the agent gets it; the text it already has."""
    return {
        "reply_id": reply.id,
        "state": reply.state,
        "duplicate": duplicate,
        "display": reply.address["display"],
        "permalink": reply.permalink,
        "error_class": reply.error_class,
        "error_code": reply.error_code,
    }


def of_todos(session: Session, todo_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """Todo id → `{count, last_state, last_permalink}`."""
    found: dict[str, dict[str, Any]] = {
        todo_id: {"count": 0, "last_state": None, "last_permalink": None} for todo_id in todo_ids
    }
    for todo_id, state, permalink in store.of_todos(session, todo_ids):
        line = found[todo_id]
        line["count"] += 1
        line["last_state"], line["last_permalink"] = state, permalink
    return found


def whole_of_todo(lib: Plumbing, todo_id: str) -> list[dict[str, Any]]:
    """A todo's replies with their texts, oldest first, for its page. The caller checks the scope."""
    with lib.db.read() as session:
        return [_whole(reply) for reply in store.whole_of_todo(session, todo_id)]


def troubled(lib: Plumbing, operator: Operator) -> list[dict[str, Any]]:
    """The replies in view that failed or are unknown in the last day, newest first.

    With `address` and `owner`. A relay is no todo's itself: its `todo` is the newest at its address.
    """
    with lib.db.read() as session:
        rows = store.troubled(session, operator.visible, clock.ago(TROUBLE_SECONDS), MAX_TROUBLED)
        labels = owners.labels_of(session, {row.owner_id for row in rows})
        return [
            _whole(row)
            | {
                "address": row.address,
                "owner": labels.get(row.owner_id),
                "todo": row.todo_id or _todo_behind(session, row),
            }
            for row in rows
        ]


def _todo_behind(session: Session, reply: Reply) -> str | None:
    if reply.purpose != "relay":
        return None
    return store.todo_at(session, reply.owner_id, reply.address_key)


def _whole(reply: Reply) -> dict[str, Any]:
    return describe(reply) | {
        "todo": reply.todo_id,
        "purpose": reply.purpose,
        "echo": reply.echo_delivery_id,
        "text": reply.text,
        "connection": reply.connection_name,
        "fingerprint": reply.connection_fingerprint,
        "created_at": clock.iso(reply.created_at),
        "dial_started_at": clock.iso(reply.dial_started_at),
        "finished_at": clock.iso(reply.finished_at),
        "not_before": clock.iso(reply.not_before),
    }
