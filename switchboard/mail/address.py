"""From a mail to its tokens: read from recipients only, never from a text or a quoted link.

The envelope knows best: each copy of a mail comes with its own. Without one the headers that name
recipients are read (docs/mail.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email.message import Message
from email.utils import getaddresses

from sqlalchemy.orm import Session

from switchboard.access import login
from switchboard.access.principals import Operator
from switchboard.errors import Forbidden, Invalid
from switchboard.lib import ids
from switchboard.mail import mime, store
from switchboard.mail.places import unmappable
from switchboard.sessions import questions
from switchboard.sinks import places as names
from switchboard.sinks import tokens

RECIPIENTS = ("to", "cc", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to")
MAX_TOKENS = 5  # of one mail; a person answers one thing at a time
MAX_ADDRESSES = 500
MAX_MESSAGE_ID = 256


@dataclass(frozen=True)
class Claim:
    """Who answers, and where: the id of a thread, a todo or a question."""

    operator: Operator
    place_id: str


def tokens_of(recipients: Sequence[str], message: Message, domain: str) -> list[str]:
    """The tokens that a mail is for, each once, folded: those of the envelope, else of its headers."""
    if not domain:
        return []
    return _tokens(recipients, domain) or _tokens(_recipients(message), domain)


def _tokens(addresses: Sequence[str], domain: str) -> list[str]:
    found = (tokens.token_in(each, domain) for each in addresses)
    return list(dict.fromkeys(each for each in found if each))[:MAX_TOKENS]


def _recipients(message: Message) -> list[str]:
    lines = [
        str(line)[: mime.MAX_HEADER_BYTES]
        for name in RECIPIENTS
        for line in message.get_all(name, [])
    ]
    return [address for _, address in getaddresses(lines)][:MAX_ADDRESSES]


def by_token(session: Session, token: str) -> Claim:
    """Whom a token stands for. Raises Invalid `unmappable`, `expired_token` or `revoked_token`."""
    bearer = tokens.bearer(session, token)
    if bearer is None:
        raise unmappable("Nobody was given the address that this mail was sent to.")
    if bearer.state == "expired":
        raise Invalid(
            "The notification that this answers is too old to be answered by mail. Answer on its page.",
            "expired_token",
        )
    if bearer.state != "good":
        raise Invalid(
            "The address that this mail was sent to was withdrawn. Answer on the page.",
            "revoked_token",
        )
    return Claim(login.of_account(session, bearer.account), bearer.place_id)


def owner_of(session: Session, token: str) -> tuple[str, str] | None:
    """(account's id, place's id) of a token that was given to somebody who is not shut out, good or not."""
    bearer = tokens.bearer(session, token)
    if bearer is None or bearer.account.disabled_at is not None:
        return None
    return bearer.account.id, bearer.place_id


def why_no_token(message: Message) -> Invalid:
    """The refusal of a mail to nobody: what it says of the thread tells a cut address from a cold mail."""
    known = " ".join(mime.header(message, name) for name in ("in-reply-to", "references"))
    if names.place_in(known):
        return unmappable(
            "The part behind the plus sign was lost from the address that this mail was sent to, so "
            "nothing proves who answers. Answer on the page."
        )
    return unmappable("None of the recipients of this mail has a token, so it creates nothing.")


def message_id(message: Message) -> str | None:
    """The Message-ID without its brackets, None for one that is missing or too long to go by."""
    given = mime.header(message, "message-id").strip().strip("<>").strip()
    return given if 0 < len(given) <= MAX_MESSAGE_ID else None


def by_transaction(session: Session, transaction_id: str, subscriber: str) -> Claim:
    """Whom a notify service's event stands for.

    Raises Invalid `unmappable` for a transaction that is none of ours, Forbidden `sender_mismatch` for one
    of somebody else's.
    """
    read = names.read_transaction(transaction_id)
    account = store.account_named(session, read.who) if read else None
    if read is None or account is None or account.disabled_at is not None:
        raise unmappable("No thread has this transaction.", "transactionId")
    if subscriber.casefold() != account.name.casefold():
        raise sender_mismatch("The subscriber is not the one that was notified.", "subscriberId")
    operator = login.of_account(session, account)
    return Claim(operator, _place_of(session, operator, read))


def _place_of(session: Session, operator: Operator, read: names.Transaction) -> str:
    if read.word == "question":
        asked = questions.last_asked(session, read.what, operator.visible)
        found = asked.id if asked else None
    else:
        comment = store.comment(session, read.what) if ids.is_id(read.what, "comment") else None
        found = (comment.thread_id or comment.todo_id) if comment else read.what
    if found is None:
        raise unmappable("No thread has this transaction.", "transactionId")
    return found


def sender_mismatch(detail: str, field: str | None = None) -> Forbidden:
    """The refusal of an answer by somebody else than whom it was asked of."""
    return Forbidden(detail, "sender_mismatch", field=field)


def check_sender(message: Message, address: str) -> None:
    """Raise Forbidden `sender_mismatch` unless the one `From:` is the account's address.

    A mail that was passed on carries the token to somebody else, so the token is not enough.
    """
    lines = message.get_all("from", [])
    senders = [found for _, found in getaddresses([str(each)[:2000] for each in lines]) if found]
    if len(senders) != 1 or senders[0].casefold() != address.casefold():
        raise sender_mismatch(
            "This mail is not from the address of the account that was notified; a mail that was passed "
            "on is for its first reader to answer.",
            "From",
        )
