"""The SQL of offers: what persons said on a work item."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from switchboard.lib import ids
from switchboard.models import Account, Comment, Delivery, DeliveryBody, Source, Todo
from switchboard.models.base import in_scope


@dataclass(frozen=True)
class Heard:
    """A verified delivery on the work item, with what its provider needs to read it again."""

    delivery_id: str
    at: datetime
    kind: str
    host: str
    headers: dict[str, Any]
    body: bytes  # compressed


def heard(
    session: Session, owner_id: str, address_key: str, since: datetime, most: int
) -> list[Heard]:
    """Those that made the owner a todo with this address since then, oldest first.

    Not those of a source whose secret an agent knows: it could have put words into a person's mouth.
    """
    of_todos = select(Todo.delivery_id).where(
        in_scope(Todo, [owner_id]),
        Todo.id >= ids.first_at("todo", since),  # which the index finds
        Todo.reply_to["key"].as_string() == address_key,
    )
    rows = session.execute(
        select(
            Delivery.id,
            Delivery.received_at,
            Source.kind,
            Source.host,
            Delivery.headers,
            DeliveryBody.body,
        )
        .join(Source, Source.id == Delivery.source_id)
        .join(DeliveryBody, DeliveryBody.delivery_id == Delivery.id)
        .where(
            Delivery.id.in_(of_todos),
            Delivery.verified,
            Delivery.status == "accepted",
            Source.secret_known_to_agent.is_(False),
        )
        .order_by(Delivery.id.desc())
        .limit(most)
    )
    return [Heard(*row) for row in rows][::-1]


def said(
    session: Session, place: dict[str, str], since: datetime, most: int
) -> list[tuple[str, str, datetime]]:
    """(author, text, at) of what accounts said since then on a thread or todo of ours, oldest first."""
    statement = (
        select(Account.name, Comment.body, Comment.created_at)
        .join(Account, Account.id == Comment.author_account_id)
        .where(Comment.created_at >= since)
        .order_by(Comment.id.desc())
        .limit(most)
    )
    for column, value in place.items():
        statement = statement.where(getattr(Comment, column) == value)
    return [(name, body, at) for name, body, at in session.execute(statement)][::-1]
