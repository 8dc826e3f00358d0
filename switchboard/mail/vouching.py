"""A mail whose plus part was lost on the way, let in on the word of a server that the operator trusts.

That server's `Authentication-Results` (RFC 8601) has to say that DMARC passed for the sender's own domain,
and the sender has to be the account that was told of the thread. Only the topmost field under the server's
name counts: one further down may have been written by whoever sent the mail.
"""

from __future__ import annotations

import re
from email.message import Message
from email.utils import getaddresses

from sqlalchemy.orm import Session

from switchboard.access import login
from switchboard.mail import mime, store
from switchboard.mail.address import Claim
from switchboard.mail.places import unmappable
from switchboard.sinks import places as names
from switchboard.sinks import tokens

_DMARC = re.compile(r"\s*dmarc\s*=", re.IGNORECASE)
_PASSED = re.compile(r"\s*dmarc\s*=\s*pass(?=\s|$)", re.IGNORECASE)
_FROM = re.compile(r"header\.from\s*=\s*(?P<domain>[\w.-]+)", re.IGNORECASE | re.ASCII)


def sender_vouched_for(message: Message, server: str) -> str | None:
    """The address that a mail is from, where the server says that DMARC passed for it; else None."""
    if not server:
        return None
    senders = [found for _, found in getaddresses(message.get_all("from", [])) if found]
    domain = senders[0].rpartition("@")[2].casefold() if len(senders) == 1 else ""
    return senders[0] if domain and domain == _passed_for(message, server) else None


def _passed_for(message: Message, server: str) -> str | None:
    """The domain for which DMARC passed, in the server's topmost field."""
    for field in mime.all_headers(message, "authentication-results"):
        who, *results = _bare(field).split(";")
        if who.split()[:1] != [server]:
            continue
        said = [result for result in results if _DMARC.match(result)]
        found = _FROM.search(said[0]) if len(said) == 1 and _PASSED.match(said[0]) else None
        return found["domain"].casefold() if found else None
    return None


def _bare(field: str) -> str:
    """`field` without its comments, which may be nested, and its quoted strings.

    A server repeats in both what a sender said, such as the local part of his address.
    """
    kept, depth, quoted, escaped = [], 0, False, False
    for sign in field:
        inside = quoted or depth > 0
        if escaped or sign == "\\":
            escaped = inside and not escaped
        elif sign == '"' and depth == 0:
            quoted = not quoted
        elif sign in "()" and not quoted:
            depth = max(depth + (1 if sign == "(" else -1), 0)
        elif not inside:
            kept.append(sign)
            continue
        kept.append("" if inside else " ")
    return "".join(kept)


def place_of(message: Message) -> str | None:
    """The id of the thread, todo or question that the mail's threading headers name."""
    known = (mime.header(message, name) for name in ("in-reply-to", "references"))
    return names.place_in(" ".join(known))


def claim(session: Session, sender: str, place_id: str) -> Claim:
    """Whose answer it is. Raises Invalid `unmappable` unless that account was told and may answer still."""
    account = store.account_at(session, sender)
    if account is None or not tokens.was_given(session, account.id, place_id):
        raise unmappable("Whoever wrote this was not told of what it answers. Answer on the page.")
    return Claim(login.of_account(session, account), place_id)
