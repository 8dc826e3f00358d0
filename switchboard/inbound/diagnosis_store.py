"""The SQL of the diagnosis: the secrets that a source once had."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from switchboard.models import SourceSecret


def ended_secrets(
    session: Session, source_id: str, now: datetime, most: int
) -> Sequence[SourceSecret]:
    """The secrets whose overlap is over, the newest first."""
    statement = select(SourceSecret).where(
        SourceSecret.source_id == source_id, SourceSecret.expires_at <= now
    )
    return session.scalars(statement.order_by(SourceSecret.id.desc()).limit(most)).all()
