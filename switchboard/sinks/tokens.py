"""The tokens of Reply-To: each proves one account's right to answer in one place (docs/notifications.md).

26 characters of base32 in lower case hold two bits of version and 128 random ones. Mailers fold case, so
reading folds it as well. Stored is the hash.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from switchboard.lib import clock, crypto
from switchboard.lib.express import Write
from switchboard.models import Account, MailToken
from switchboard.sinks import token_store

LENGTH = 26
RANDOM_BITS = 128
VERSION = 1
TAG = "reply+"
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"  # RFC 4648 section 6
_LOCAL_PART = re.compile(rf"reply\+(?P<token>[a-z2-7]{{{LENGTH}}})", re.IGNORECASE | re.ASCII)
DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Answerable:
    """A place that an account can answer by mail: how many mails about it carry a good token, and when.

    `message_id` is the newest of them, made at `made_at`; `expires_at` is when the last of them ends.
    """

    place_id: str
    mails: int
    message_id: str
    made_at: datetime
    expires_at: datetime
    used_at: datetime | None


@dataclass(frozen=True)
class Bearer:
    """Who may answer with a token, and where: the id of a thread, a todo or a question.

    `state` is `good`, `expired` or `revoked`; that of an account that was shut out is revoked.
    """

    account: Account
    place_id: str
    message_id: str
    state: str
    expires_at: datetime


def mint(session: Session, account_id: str, place_id: str, message_id: str, days: int) -> str:
    """A fresh token, good for so many days, in the transaction of the message it goes out with."""
    token = _new()
    now = clock.now()
    session.add(
        MailToken(
            hash=crypto.token_hash(token),
            account_id=account_id,
            place_id=place_id,
            message_id=message_id,
            created_at=now,
            expires_at=clock.ahead(days * DAY_SECONDS),
        )
    )
    return token


def _new() -> str:
    number = VERSION << RANDOM_BITS | secrets.randbits(RANDOM_BITS)
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(LENGTH)))


def reply_address(token: str, domain: str) -> str:
    """The address that a Reply-To names."""
    return f"{TAG}{token}@{domain}"


def token_in(address: str, domain: str) -> str | None:
    """The token of a recipient's address at the inbound domain, folded; None where it has none.

    Read it from recipients only (`To`, `Cc`, envelope), never from a body or a quoted link.
    """
    local, at, host = address.strip().rpartition("@")
    found = _LOCAL_PART.fullmatch(local)
    if not at or found is None or host.rstrip(".").casefold() != domain.casefold():
        return None
    return found["token"].lower()


def bearer(session: Session, token: str) -> Bearer | None:
    """Whom a token stands for; None for one that was never given, or was forgotten since."""
    found = token_store.with_account(session, crypto.token_hash(token.lower()))
    if found is None:
        return None
    row, account = found
    return Bearer(account, row.place_id, row.message_id, _state(row, account), row.expires_at)


def _state(row: MailToken, account: Account) -> str:
    if row.revoked_at is not None or account.disabled_at is not None:
        return "revoked"
    return "good" if row.expires_at > clock.now() else "expired"


def was_given(session: Session, account_id: str, place_id: str) -> bool:
    """Whether the account holds a token for that place which is good now."""
    return token_store.has_good(session, account_id, place_id, clock.now())


def use_write(token: str) -> Write:
    """That an answer with it was taken, beside the row of that answer."""
    return token_store.use_write(crypto.token_hash(token.lower()), clock.now())


def answerable(
    session: Session, account_id: str, before: str | None, most: int
) -> list[Answerable]:
    """The places of which the account holds good tokens, that of the newest mail first.

    With `before`, a `message_id`, those that come after it in that order.
    """
    rows = token_store.good_by_place(session, account_id, clock.now(), before, most)
    return [Answerable(*row) for row in rows]


def revoke(session: Session, account_id: str, place_id: str | None = None) -> int:
    """End an account's tokens, all or those of one place; how many there were that had not been ended."""
    return token_store.revoke(session, account_id, place_id, clock.now())
