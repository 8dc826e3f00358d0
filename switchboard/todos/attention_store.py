"""The SQL of what needs a human."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.orm import Session

from switchboard.models import Todo
from switchboard.models.base import in_scope


def dead_letters(session: Session, owner_ids: Collection[str] | None, most: int) -> list[Todo]:
    """The todos that were given up, the latest first."""
    statement = select(Todo).where(
        in_scope(Todo, owner_ids), Todo.state == "failed", Todo.dead_lettered_at.is_not(None)
    )
    return list(session.scalars(statement.order_by(Todo.dead_lettered_at.desc()).limit(most)))
