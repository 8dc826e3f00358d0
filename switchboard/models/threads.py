"""Threads and comments: the conversations Switchboard itself keeps."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, Index, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from switchboard.models.base import (
    ID_LENGTH,
    Base,
    Owned,
    exactly_one_owner,
    reference,
    unchecked,
)

_UNADOPTED = text("kind = 'ticket' AND adopted_at IS NULL AND closed_at IS NULL")


class Thread(Owned, Base):
    """A ticket, forum thread or landing, numbered within its repo.

    Its author is one of an account, a source or an endpoint, none of them at the command line; `via`
    says by which door it came. A ticket is adopted by an
    account or, when an agent claims its todo, by an endpoint. One that is `mirror_of` a foreign
    history takes no writes.
    """

    __tablename__ = "threads"
    __table_args__ = (
        exactly_one_owner(),
        CheckConstraint("kind IN ('ticket', 'forum', 'landing')", name="kind"),
        UniqueConstraint("repo_id", "number"),
        Index("ix_threads_repo_id_id", "repo_id", "id"),
        Index("ix_threads_unadopted", "id", sqlite_where=_UNADOPTED, postgresql_where=_UNADOPTED),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    repo_id: Mapped[str] = reference("repos.id")
    number: Mapped[int]
    kind: Mapped[str] = mapped_column(String(8))
    title: Mapped[str] = mapped_column(String(300))
    body: Mapped[str]
    labels: Mapped[list[str]]
    mirror_of: Mapped[str | None] = mapped_column(String(400))
    author_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    author_source_id: Mapped[str | None] = unchecked()
    author_endpoint_id: Mapped[str | None] = unchecked()
    via: Mapped[str] = mapped_column(String(16))
    delivery_id: Mapped[str | None] = unchecked()
    adopted_by_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    adopted_by_endpoint_id: Mapped[str | None] = unchecked()
    adopted_at: Mapped[datetime | None]
    closed_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    commented_at: Mapped[datetime]


class Comment(Base):
    """One remark in a thread, or on a todo that has no thread of its own.

    Its author is exactly one of an account, a source or an endpoint; `via` says by which door it came.
    One that came by mail has in `quoted` the mail's text before anything was cut, in `attachments` what was
    attached to it (name and size; the bytes are not kept), in `note` what the reader should know of it.
    """

    __tablename__ = "comments"
    __table_args__ = (
        CheckConstraint("(thread_id IS NULL) <> (todo_id IS NULL)", name="exactly_one_place"),
        Index("ix_comments_thread_id_id", "thread_id", "id"),
        Index("ix_comments_todo_id_id", "todo_id", "id"),
    )

    id: Mapped[str] = mapped_column(String(ID_LENGTH), primary_key=True)
    thread_id: Mapped[str | None] = reference("threads.id", on_delete="CASCADE")
    todo_id: Mapped[str | None] = reference("todos.id", on_delete="CASCADE")
    author_account_id: Mapped[str | None] = reference("accounts.id", on_delete="SET NULL")
    author_source_id: Mapped[str | None] = unchecked()
    author_endpoint_id: Mapped[str | None] = unchecked()
    delivery_id: Mapped[str | None] = unchecked()
    via: Mapped[str] = mapped_column(String(16))
    body: Mapped[str]
    quoted: Mapped[str | None]
    attachments: Mapped[list[dict[str, Any]] | None]
    note: Mapped[str | None] = mapped_column(String(300))
    created_at: Mapped[datetime]
