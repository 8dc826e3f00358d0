"""How what goes out names the place that an answer belongs to: in mail headers, and to a notify service.

None of it is a secret: it finds the place and admits nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORDS = ("ticket-comment", "forum-reply", "landing-remark", "todo-comment", "question")
_TRANSACTION = re.compile(
    rf"(?P<word>{'|'.join(_WORDS)}):(?P<what>.{{1,400}}):(?P<who>[\w.-]{{1,64}})"
)
_ID = r"[a-z]{2}_[0-9a-z]{26}"
_MESSAGE = re.compile(rf"<{_ID}\.(?P<place>{_ID})@", re.IGNORECASE | re.ASCII)
_ROOT = re.compile(rf"<(?P<place>{_ID})@", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Transaction:
    """A notify transaction read: the word for what it is, what it is about, and the account's name.

    `what` is the id of a comment, thread or todo, or for a `question` the work item ref.
    """

    word: str
    what: str
    who: str


def transaction(answers: str, who: str) -> str:
    """A notify transaction: `ticket-comment:cm_…:ana`."""
    return f"{answers}:{who}"


def read_transaction(text: str) -> Transaction | None:
    """The transaction in a notify event, None where it is none of ours."""
    found = _TRANSACTION.fullmatch(text)
    return Transaction(found["word"], found["what"], found["who"]) if found else None


def message_id(message: str, place_id: str | None, domain: str) -> str:
    """The Message-ID of a mail about that place."""
    return f"<{message}.{place_id}@{domain}>" if place_id else f"<{message}@{domain}>"


def root_id(place_id: str, domain: str) -> str:
    """What all mails about a place refer to, so that a client shows them as one conversation."""
    return f"<{place_id}@{domain}>"


def place_in(references: str) -> str | None:
    """The id of the place that In-Reply-To or References name, None where they name none of ours."""
    found = _MESSAGE.search(references) or _ROOT.search(references)
    return f"{found['place'][:3].lower()}{found['place'][3:].upper()}" if found else None
