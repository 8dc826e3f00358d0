"""The SQL of a source's health: which sources were refused lately, and a source's newest rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, union
from sqlalchemy.orm import Session

from switchboard.inbound.log_store import NOT_ACCEPTED
from switchboard.models import Delivery, Source

_COLUMNS = (
    Delivery.status,
    Delivery.http_status,
    Delivery.trust,
    Delivery.sender_id,
    Delivery.count,
    Delivery.reason,
    Delivery.diagnosis,
)


def not_accepted_since(session: Session, since_id: str, most: int) -> set[str]:
    """The ids of sources with a refusal or failure after that id, of each the newest `most` looked at."""
    newest = [
        select(Delivery.source_id)
        .where(NOT_ACCEPTED, Delivery.status == status, Delivery.id > since_id)
        .order_by(Delivery.id.desc())
        .limit(most)
        .subquery()
        for status in ("refused", "failed")
    ]
    found = session.scalars(union(*(select(each.c.source_id) for each in newest)))
    return {source_id for source_id in found if source_id is not None}


def newest_rows(session: Session, source_id: str, since_id: str, most: int) -> Sequence[Any]:
    """The newest rows after that id of what senders sent: a human's replays tell nothing of those.

    Status, HTTP status, trust, sender's id, count, reason, diagnosis.
    """
    statement = select(*_COLUMNS).where(
        Delivery.source_id == source_id, Delivery.id > since_id, Delivery.replay_of.is_(None)
    )
    return session.execute(statement.order_by(Delivery.id.desc()).limit(most)).all()


def live_source(session: Session, source_id: str) -> Source | None:
    """The source, unless it is revoked."""
    return session.scalar(select(Source).where(Source.id == source_id, Source.state != "revoked"))
