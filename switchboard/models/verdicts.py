"""Verdicts: what CI said of a commit."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import ID_LENGTH, Base, Owned, exactly_one_owner, reference, unchecked

STATES = ("queued", "running", "success", "failure", "error", "cancelled")


class Verdict(Owned, Base):
    """One report of one check on one commit. Reports are kept as they came; the newest counts."""

    __tablename__ = "verdicts"
    __table_args__ = (
        exactly_one_owner(),
        CheckConstraint(f"state IN {STATES}", name="state"),
        Index("ix_verdicts_repo_id_commit_id", "repo_id", "commit", "id"),
        Index("ix_verdicts_repo_id_id", "repo_id", "id"),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    repo_id: Mapped[str] = reference("repos.id")
    commit: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(128))
    state: Mapped[str] = mapped_column(String(12))
    url: Mapped[str | None] = mapped_column(String(1024))
    summary: Mapped[str | None]
    source_id: Mapped[str | None] = unchecked()
    delivery_id: Mapped[str | None] = unchecked()
    created_at: Mapped[datetime]
