"""A worker reads an answer: what the person typed becomes a comment or reaches an agent, once.

Reading comes first and costs no transaction. Then one transaction ends the message's waiting, makes
what it becomes and writes that on its delivery; so a worker may be killed at any instant, and a job
that runs twice finds nothing to do.
"""

from __future__ import annotations

import logging
import zlib
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import letters, login
from switchboard.access.principals import Operator
from switchboard.errors import Forbidden, Invalid, Problem, Unavailable
from switchboard.inbound import record
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.mail import address, becoming, bounces, mime, places, store
from switchboard.mail.arrival import without_tokens
from switchboard.mail.becoming import Made
from switchboard.mail.extract import Reply, extract_reply, trim
from switchboard.mail.places import Place
from switchboard.models import Account, MailMessage

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 5
MAX_QUOTED = 16 * 1024


@dataclass(frozen=True)
class _Taken:
    """A message that waits, and whose it is."""

    row: MailMessage
    account: Account | None


def process(lib: Plumbing, mail_id: str) -> None:
    """Read the message of that id, unless it was read. Raises Unavailable while storage is away."""
    with lib.db.write() as session:
        row = store.take(session, mail_id)
        if row is None:
            return
        taken = _Taken(row, store.account(session, row.account_id))
        session.flush()
        session.expunge_all()
    try:
        if row.attempts > MOST_ATTEMPTS:
            raise Invalid(
                f"Reading this mail was given up after {MOST_ATTEMPTS} attempts.", "unreadable"
            )
        _make(lib, taken, _read(lib, taken))
    except Unavailable:
        raise
    except Problem as problem:
        _refuse(lib, taken, problem)


def _read(lib: Plumbing, taken: _Taken) -> Reply:
    """What the person typed. Raises Invalid `auto_reply`, `empty_reply`, Forbidden `sender_mismatch`."""
    content = zlib.decompress(taken.row.raw or b"")
    if taken.row.form == "text":
        return _of_service(content.decode("utf-8", "replace"))
    try:
        reply = extract_reply(content)
    except Invalid as problem:
        if problem.code == "empty_reply":  # of which the person is told, if it was he who wrote
            _check_sender(lib, taken, content)
        raise
    _check_sender(lib, taken, content)
    # what is not recognised as a quoted header, or typed, is read by everybody
    return replace(reply, text=_masked(reply.text), quoted=_masked(reply.quoted))


def _check_sender(lib: Plumbing, taken: _Taken, content: bytes) -> None:
    if not lib.settings["MAIL_ANY_SENDER"]:
        own = taken.account.email if taken.account else ""
        address.check_sender(mime.headers_of(content), own)


def _masked(text: str) -> str:
    return without_tokens(text.encode("utf-8", "replace")).decode()


def _of_service(given: str) -> Reply:
    """What a notify service took out of a mail, cut as a mail is, for it may have cut less."""
    if not (text := trim(given)):
        raise Invalid("Nothing is left of this answer without its quotes.", "empty_reply")
    return Reply(text, (), given.encode()[:MAX_QUOTED].decode("utf-8", "ignore"))


def _make(lib: Plumbing, taken: _Taken, reply: Reply) -> None:
    row = taken.row
    with lib.db.write() as session:
        if not store.finish(session, row.id, None, clock.now()):
            return
        operator, place = _place(session, row)
        made = becoming.become(lib, session, operator, place, reply, delivery_id=row.delivery_id)
        told = _settle(lib, session, row, place, made)
        session.flush()
        session.expunge_all()
    brought = becoming.after(lib, operator, made)
    bounces.ring(lib, told)
    log.info("mail %s became %s", row.id, made.code)
    if not brought:
        _keep_unbrought(lib, row, reply)


def _place(session: Session, row: MailMessage) -> tuple[Operator, Place]:
    """Who answers where, as of now: letters, memberships and the place may have changed meanwhile."""
    account = store.account(session, row.account_id)
    if account is None or account.disabled_at is not None:
        raise Forbidden("The account was shut out meanwhile.")
    operator = login.of_account(session, account)
    place = places.find(session, operator, row.place_id)
    letters.require(operator.letters, place.letter, f"The account {operator.name}")
    return operator, place


def _settle(
    lib: Plumbing, session: Session, row: MailMessage, place: Place, made: Made
) -> str | None:
    """Write on the delivery what it became; the id of the mail that tells the person, if one is due."""
    if made.excerpt is not None:
        store.keep_excerpt(session, row.id, made.excerpt)
    outcome = _outcome(row, made, store.trust_of(session, row.delivery_id))
    record.settle(session, row.delivery_id, made.code, made.reason, outcome)
    return bounces.write(lib, session, row.account_id, made.code, made.reason, place.path)


def _keep_unbrought(lib: Plumbing, row: MailMessage, reply: Reply) -> None:
    with lib.db.write() as session:
        operator, place = _place(session, row)
        made = becoming.keep_unbrought(
            lib, session, operator, place, reply, delivery_id=row.delivery_id
        )
        told = _settle(lib, session, row, place, made)
    becoming.after(lib, operator, made)
    bounces.ring(lib, told)


def _outcome(row: MailMessage, made: Made, trust: str | None) -> dict[str, Any]:
    return {
        "delivery": row.delivery_id,
        "todos": [],
        "artifacts": made.artifacts,
        "created": 0,
        "duplicate": False,
        "dropped": False,
        "cause": None,
        "verified": True,
        "trust": trust,
    }


def _refuse(lib: Plumbing, taken: _Taken, problem: Problem) -> None:
    """Write on the delivery why it could not be used, and tell the person where that is wanted."""
    row, told = taken.row, None
    with lib.db.write() as session:
        if not store.finish(session, row.id, None, clock.now()):
            return
        record.settle_refused(session, row.delivery_id, problem)
        if row.form == "mime":
            path = places.path_of(session, row.place_id)
            told = bounces.write(lib, session, row.account_id, problem.code, problem.detail, path)
    bounces.ring(lib, told)
    log.info("mail %s refused: %s", row.id, problem.code)
