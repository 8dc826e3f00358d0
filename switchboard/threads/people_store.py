"""The SQL of who is behind a row, and of which deliveries are still there."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from switchboard.models import Account, Delivery, Endpoint, Source


def kept_deliveries(session: Session, delivery_ids: Collection[str]) -> set[str]:
    """Which of these deliveries are still on record."""
    return set(session.scalars(select(Delivery.id).where(Delivery.id.in_(delivery_ids))))


def names(session: Session, ids_of: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Id → name of these accounts, sources and endpoints, given by the words for them."""
    models: dict[str, type[Account | Source | Endpoint]]
    models = {"account": Account, "source": Source, "endpoint": Endpoint}
    found: dict[str, str] = {}
    for word, wanted in ids_of.items():
        model = models[word]
        if wanted:
            rows = session.execute(select(model.id, model.name).where(model.id.in_(wanted)))
            found |= {row_id: name for row_id, name in rows}
    return found
