"""The SQL of mail that came in: messages, the places they answer in, bounces."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session

from switchboard.lib.express import Write, insert_into
from switchboard.models import (
    Account,
    Comment,
    Delivery,
    MailBounce,
    MailMessage,
    Source,
    Thread,
    Todo,
)
from switchboard.models.base import in_scope, table_of

_INSERT = insert_into(table_of(MailMessage))


def message_write(row: Mapping[str, Any]) -> Write:
    """Write a message beside its delivery."""
    return Write(_INSERT, row, rows=1)


def take(session: Session, mail_id: str) -> MailMessage | None:
    """The message if it still waits, one more attempt counted."""
    found = session.scalar(
        select(MailMessage)
        .where(MailMessage.id == mail_id, MailMessage.processed_at.is_(None))
        .with_for_update()
    )
    if found is not None:
        found.attempts += 1
    return found


def finish(session: Session, mail_id: str, excerpt: str | None, now: datetime) -> bool:
    """End its waiting and drop its bytes; False when somebody else has."""
    done = session.scalars(
        update(MailMessage)
        .where(MailMessage.id == mail_id, MailMessage.processed_at.is_(None))
        .values(processed_at=now, raw=None, excerpt=excerpt)
        .returning(MailMessage.id),
        execution_options={"synchronize_session": False},
    )
    return done.first() is not None


def waiting(session: Session, before_id: str, most: int) -> list[str]:
    """The messages with ids before that one that nobody has read to the end, oldest first."""
    statement = select(MailMessage.id).where(
        MailMessage.processed_at.is_(None), MailMessage.id < before_id
    )
    return list(session.scalars(statement.order_by(MailMessage.id).limit(most)))


def account(session: Session, account_id: str) -> Account | None:
    return session.get(Account, account_id)


def account_named(session: Session, name: str) -> Account | None:
    return session.scalar(select(Account).where(func.lower(Account.name) == name.lower()))


def thread(session: Session, thread_id: str) -> Thread | None:
    return session.get(Thread, thread_id)


def todo(session: Session, todo_id: str) -> Todo | None:
    return session.get(Todo, todo_id)


def comment(session: Session, comment_id: str) -> Comment | None:
    return session.get(Comment, comment_id)


def todo_of_thread(session: Session, thread_id: str) -> Todo | None:
    """The newest todo that stands for a thread and can be answered where it came from."""
    statement = select(Todo).where(Todo.thread_id == thread_id, Todo.reply_to.is_not(None))
    return session.scalars(statement.order_by(Todo.id.desc()).limit(1)).first()


def todo_at(session: Session, owner_id: str, address_key: str) -> Todo | None:
    """The owner's newest todo that is answered at that address."""
    statement = select(Todo).where(
        in_scope(Todo, [owner_id]), Todo.reply_to["key"].as_string() == address_key
    )
    return session.scalars(statement.order_by(Todo.id.desc()).limit(1)).first()


def trust_of(session: Session, delivery_id: str) -> str | None:
    """On whose word a delivery was let in."""
    return session.scalar(select(Delivery.trust).where(Delivery.id == delivery_id))


def letters_of(session: Session, delivery_id: str) -> str:
    """The letters of the source that a delivery came by."""
    statement = select(Source.letters).join(Delivery, Delivery.source_id == Source.id)
    return session.scalar(statement.where(Delivery.id == delivery_id)) or ""


def account_at(session: Session, address: str) -> Account | None:
    """The one account with that mail address that is not shut out; None where several have it."""
    found = session.scalars(
        select(Account)
        .where(func.lower(Account.email) == address.lower(), Account.disabled_at.is_(None))
        .limit(2)
    ).all()
    return found[0] if len(found) == 1 else None


def insert_bounce(session: Session, row: Mapping[str, Any]) -> bool:
    """Write a bounce unless the account has one of that day; whether it was written."""
    # both databases speak this form of it
    statement = (
        postgresql.insert(MailBounce)
        .values(dict(row))
        .on_conflict_do_nothing(index_elements=["account_id", "day"])
        .returning(MailBounce.id)
    )
    compiled = session.execute(statement)
    return compiled.first() is not None


def claim_bounce(session: Session, bounce_id: str, now: datetime) -> tuple[MailBounce, str] | None:
    """The bounce and the account's address, if nobody has taken it; from now on it is ours."""
    claimed = session.scalars(
        update(MailBounce)
        .where(
            MailBounce.id == bounce_id,
            MailBounce.claimed_at.is_(None),
            MailBounce.state == "pending",
        )
        .values(claimed_at=now)
        .returning(MailBounce.id),
        execution_options={"synchronize_session": False},
    )
    if claimed.first() is None:
        return None
    row = session.execute(
        select(MailBounce, Account.email)
        .join(Account, Account.id == MailBounce.account_id)
        .where(MailBounce.id == bounce_id)
    ).one()
    return row[0], row[1]


def settle_bounce(session: Session, bounce_id: str, state: str) -> None:
    session.execute(update(MailBounce).where(MailBounce.id == bounce_id).values(state=state))


def bounces_to_ring(session: Session, before_id: str, most: int) -> list[str]:
    """The bounces that nobody has taken, with ids before that one."""
    statement = select(MailBounce.id).where(
        MailBounce.state == "pending", MailBounce.claimed_at.is_(None), MailBounce.id < before_id
    )
    return list(session.scalars(statement.order_by(MailBounce.id).limit(most)))


def lose_bounces(session: Session, claimed_before: datetime) -> None:
    """Whether one that was taken and never settled was sent nobody knows, and it is not sent again."""
    session.execute(
        update(MailBounce)
        .where(MailBounce.state == "pending", MailBounce.claimed_at < claimed_before)
        .values(state="unknown")
    )


def keep_excerpt(session: Session, mail_id: str, excerpt: str) -> None:
    """Keep what a mail said, where no comment does."""
    session.execute(update(MailMessage).where(MailMessage.id == mail_id).values(excerpt=excerpt))


def delete_bounces(session: Session, before_id: str) -> None:
    """Delete the bounces with ids before that one that are over."""
    session.execute(
        delete(MailBounce).where(MailBounce.id < before_id, MailBounce.state != "pending")
    )
