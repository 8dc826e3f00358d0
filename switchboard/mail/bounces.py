"""Telling a person by mail why an answer could not be used, one a day at most: off by default, but for
answers that reached no agent.

It goes to the account's own address and never to whoever wrote, and nothing that a machine sent is
answered. A row before a mail, taken by one conditional UPDATE: one that may have been sent is not sent
again.
"""

from __future__ import annotations

import logging
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr

from sqlalchemy.orm import Session

from switchboard.errors import Problem
from switchboard.lib import clock, ids, queue, smtp
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.mail import address, mime, places, store
from switchboard.mail.arrival import Mail
from switchboard.mail.refusals import why_not_a_person
from switchboard.readers import is_mail_address

log = logging.getLogger(__name__)

TOLD = (
    "unmappable",
    "missing_capability",
    "empty_reply",
    "expired_token",
    "revoked_token",
    "mirror_read_only",
    "invalid_argument",
    "not_relayed",
)
# whoever answered an agent believes that it goes on: that it does not he is told without anybody's choosing
ALWAYS_TOLD = ("late_answer", "session_paused", "session_ended")
MAX_PATH = 1024


def of_token(lib: Plumbing, mail: Mail, token: str, problem: Problem) -> None:
    """Tell the account that a token was given to, where a person wrote, from the account's address."""
    if not _wanted(lib, problem.code) or why_not_a_person(*mime.parse(mail.raw)) is not None:
        return
    with lib.db.write() as session:
        if (found := address.owner_of(session, token)) is None:
            return
        account_id, place_id = found
        account = store.account(session, account_id)
        try:
            address.check_sender(mail.message, account.email if account else "")
        except Problem:
            return
        path = places.path_of(session, place_id)
        bounce_id = write(lib, session, account_id, problem.code, problem.detail, path)
    ring(lib, bounce_id)


def write(
    lib: Plumbing, session: Session, account_id: str, code: str, reason: str, path: str
) -> str | None:
    """Write the bounce in the caller's transaction, which has seen that a person wrote: its id for `ring`.

    None where none is wanted, or the account was told today.
    """
    if not _wanted(lib, code):
        return None
    now, bounce_id = clock.now(), ids.new("mail_bounce")
    row = {
        "id": bounce_id,
        "account_id": account_id,
        "day": now.date().isoformat(),
        "code": code,
        "reason": reason,
        "path": path[:MAX_PATH],
        "state": "pending",
        "claimed_at": None,
        "created_at": now,
    }
    return bounce_id if store.insert_bounce(session, row) else None


def _wanted(lib: Plumbing, code: str) -> bool:
    chosen = lib.settings["MAIL_BOUNCES"] and code in TOLD
    return lib.settings["SMTP_URL"] is not None and bool(chosen or code in ALWAYS_TOLD)


def ring(lib: Plumbing, bounce_id: str | None) -> None:
    """Ring for a bounce after the commit; the sweep rings for what is lost."""
    if bounce_id is not None:
        queue.ring(lib.valkey, queue.SEND_BOUNCE, bounce_id)


def send(lib: Plumbing, bounce_id: str) -> None:
    """Send it, if nobody has taken it."""
    with lib.db.write() as session:
        claimed = store.claim_bounce(session, bounce_id, clock.now())
        session.expunge_all()
    if claimed is None:
        return
    bounce, recipient = claimed
    state = _hand_in(lib, bounce.reason, bounce.path, recipient)
    with lib.db.write() as session:
        store.settle_bounce(session, bounce_id, state)
    log.info("bounce %s is %s", bounce_id, state)


def _hand_in(lib: Plumbing, reason: str, path: str, recipient: str) -> str:
    server, sender = lib.settings.mail_server, lib.settings.mail_from
    if server is None or not is_mail_address(recipient):
        return "failed"
    written = compose(reason, f"{lib.settings.base_url}{path}", sender, recipient)
    try:
        # the null sender: nobody answers it, whatever goes wrong (RFC 3834 section 3.3)
        smtp.hand_in(
            server,
            parseaddr(sender)[1],
            recipient,
            written.as_bytes(),
            timeout=lib.settings["DIAL_SECONDS"],
            null_return=True,
        )
    except smtp.MailError as error:
        return "unknown" if error.written else "failed"
    return "sent"


def compose(reason: str, url: str, sender: str, recipient: str) -> EmailMessage:
    """The mail, which no machine answers."""
    name, own = parseaddr(sender)
    mail = EmailMessage(policy=SMTP)
    mail["From"] = Address(name or "Switchboard", addr_spec=own)
    mail["To"] = Address(addr_spec=recipient)
    mail["Subject"] = "Your answer could not be posted as you sent it"
    mail["Date"] = format_datetime(clock.now())
    mail["Message-ID"] = f"<{ids.new('message')}@{own.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-replied"  # RFC 3834 section 3.1.7
    mail["X-Auto-Response-Suppress"] = "All"
    mail.set_content(
        f"{one_line(reason, 1000)}\n\nAnswer here instead: {url}\n\n"
        "You are told so at most once a day. Replies to this mail are read by nobody.\n"
    )
    return mail
