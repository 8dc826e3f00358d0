"""Sending: a bundle claimed by one conditional UPDATE, handed over once, its outcome written.

What may have arrived is never sent again. What certainly did not is tried again, later and later.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.utils import parseaddr

from sqlalchemy.orm import Session

from switchboard.errors import Conflict
from switchboard.faults import book as faults
from switchboard.lib import clock, ids, smtp
from switchboard.lib.express import run_within
from switchboard.lib.http import OutboundError
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Notice, Sink
from switchboard.outbox import tell
from switchboard.outbox.topics import TEST
from switchboard.providers import notifying_kind
from switchboard.providers.answers import without_secret
from switchboard.providers.base import Posted
from switchboard.readers import is_mail_address
from switchboard.sinks import mail, outbox_store, store, tokens
from switchboard.sinks.fault_codes import FAILING
from switchboard.sinks.message import Message, as_told, notification
from switchboard.vault import connections
from switchboard.vault.connections import Kept

log = logging.getLogger(__name__)

AGAIN_SECONDS = (60, 300, 1800, 7200, 21_600)  # after the first failure, after the second, …
ATTEMPTS = len(AGAIN_SECONDS) + 1
EXPIRE_SECONDS = 86_400  # what was never sent by then is old news
SETTINGS_PATH = "/settings/sinks"


@dataclass(frozen=True)
class _Parcel:
    """A claimed message with what it takes to hand it over, read before that begins."""

    message: Message
    attempts: int
    sink: Sink = field(repr=False)
    recipient: str | None
    reader_gone: bool
    kept: Kept | None = field(repr=False)


def send(lib: Plumbing, notice_id: str) -> None:
    """Send the message that a notice is part of, if it is due and nobody has it."""
    with lib.db.write() as session:
        parcel = _take(lib, session, notice_id)
        session.flush()
        session.expunge_all()
    if parcel is not None:
        _settle(lib, parcel, _hand_over(lib, parcel))


def _take(lib: Plumbing, session: Session, notice_id: str) -> _Parcel | None:
    now = clock.now()
    found = outbox_store.due(session, notice_id, now)
    if found is None:
        return None
    notice, sink = found
    if over := _burst_over(lib, session, notice, now):
        outbox_store.put_off(session, notice, now, over)
        return None
    message_id = ids.new("message")
    notices = outbox_store.claim(session, notice, message_id, now)
    return _parcel(lib, session, message_id, sink, notices) if notices else None


def _burst_over(lib: Plumbing, session: Session, notice: Notice, now: datetime) -> datetime | None:
    """Until when what is due waits, as the like of it went out just now; None: it does not."""
    seconds = lib.settings["NOTIFY_BURST_SECONDS"]
    if seconds == 0 or notice.event == TEST:
        return None
    # what went out lately was made at most a day before that, then it expires
    since_id = ids.first_at("notice", clock.ago(seconds + EXPIRE_SECONDS))
    last = outbox_store.last_sent(session, notice, clock.ago(seconds), since_id)
    return None if last is None else max(now, last + timedelta(seconds=seconds))


def _parcel(
    lib: Plumbing, session: Session, message_id: str, sink: Sink, notices: Sequence[Notice]
) -> _Parcel:
    first, latest = notices[0], notices[-1]
    account = outbox_store.reader(session, first.account_id) if first.account_id else None
    places = {each.place_id for each in notices}
    place_id = latest.place_id if len(places) == 1 else None
    token = None
    if sink.kind == "email" and account and place_id and lib.settings["INBOUND_DOMAIN"]:
        days = lib.settings["MAIL_TOKEN_DAYS"]
        token = tokens.mint(session, account.id, place_id, message_id, days)
    base_url = lib.settings.base_url
    message = Message(
        id=message_id,
        event=latest.event,
        told=tuple(as_told(each, base_url) for each in notices),
        sink_name=sink.name,
        settings_url=f"{base_url}{SETTINGS_PATH}",
        place_id=place_id,
        answers=latest.answers if place_id else None,
        reader=account.name if account else None,
        language=account.language if account else None,
        token=token,
    )
    return _Parcel(
        message=message,
        attempts=max(each.attempts for each in notices),
        sink=sink,
        recipient=first.address,
        reader_gone=first.account_id is not None and account is None,
        kept=connections.kept(session, sink.connection_id) if sink.connection_id else None,
    )


def _hand_over(lib: Plumbing, parcel: _Parcel) -> Posted:
    if parcel.reader_gone:
        return _failed("forbidden", "account_disabled")
    if parcel.sink.kind == "email":
        return _by_mail(lib, parcel)
    if parcel.kept is None:
        return _failed("auth", "connection_gone")
    return _through(lib, parcel, parcel.kept)


def _through(lib: Plumbing, parcel: _Parcel, kept: Kept) -> Posted:
    try:
        credential = kept.opened(lib)
    except Conflict as error:
        return _failed("auth", error.code)
    kind = notifying_kind(parcel.sink.kind)
    try:
        outcome = kind.notify(lib.http, credential, notification(parcel.message))
    except OutboundError as error:
        if error.written:
            return Posted("unknown", error_class="network", error_code=error.code)
        return _failed("network", error.code, later=error.code != "blocked_address")
    if outcome.error_class == "server":
        # it said that it failed; a message told twice is less of a harm than one never told
        return _failed("server", outcome.error_code, later=True)
    return without_secret(credential, outcome)


def _by_mail(lib: Plumbing, parcel: _Parcel) -> Posted:
    server, recipient = lib.settings.mail_server, parcel.recipient or ""
    if server is None:
        return _failed("invalid", "mail_not_configured")
    if not is_mail_address(recipient):
        return _failed("invalid", "not_an_address")
    sender = lib.settings.mail_from
    written = mail.compose(parcel.message, sender, recipient, lib.settings["INBOUND_DOMAIN"])
    try:
        smtp.hand_in(
            server,
            parseaddr(sender)[1],
            recipient,
            written.as_bytes(),
            timeout=lib.settings["DIAL_SECONDS"],
        )
    except smtp.MailError as error:
        if error.written:
            return Posted("unknown", error_class="network", error_code=error.code)
        return _failed("network", error.code, later=error.later)
    return Posted("sent")


def _failed(error_class: str, code: str | None, *, later: bool = False) -> Posted:
    """It certainly did not arrive; `later` says that another try may do better."""
    again = 0 if later else None
    return Posted("failed", error_class=error_class, error_code=code, retry_after=again)


def _settle(lib: Plumbing, parcel: _Parcel, outcome: Posted) -> None:
    message_id, now = parcel.message.id, clock.now()
    error = {"error_class": outcome.error_class, "error_code": outcome.error_code}
    due: list[tell.Due] = []
    with lib.db.write() as session:
        if outcome.state == "failed" and outcome.retry_after is not None:
            pause = max(outcome.retry_after, AGAIN_SECONDS[min(parcel.attempts, ATTEMPTS - 1) - 1])
            outbox_store.release(session, message_id, ATTEMPTS, clock.ahead(pause), **error)
        over = outbox_store.settle(session, message_id, outcome.state, now, **error)
        if outcome.state == "sent":
            store.keep_success(session, parcel.sink.id, now)
            faults.clear_in(session, FAILING, parcel.sink.id)
        else:
            failure = (outcome.error_class or "invalid", outcome.error_code or "")
            store.keep_failure(session, parcel.sink.id, failure, now)
            if over and outcome.state == "failed" and parcel.message.event != TEST:
                due = faults.raise_in(session, _condition(parcel.sink, failure))
        if parcel.kept is not None:
            closed_until = clock.ahead(outcome.retry_after) if outcome.retry_after else None
            run_within(session, [parcel.kept.used_write(now, closed_until)])
    tell.ring(lib, due)
    log.info("message %s is %s %s", message_id, outcome.state, outcome.error_code or "")


def _condition(sink: Sink, failure: tuple[str, str]) -> faults.Condition:
    detail = (
        f"A message was given up ({' '.join(failure)}); what it told is on the pages. Mend the sink and "
        "send a test: one that is taken clears this."
    )
    return faults.Condition(
        code=FAILING,
        about_id=sink.id,
        about=f"Sink {sink.name}",
        detail=detail,
        owner_account_id=sink.owner_account_id,
        owner_team_id=sink.owner_team_id,
    )
