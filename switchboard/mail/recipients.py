"""Whether mail for an address is taken at all: asked by the SMTP receiver before a byte of it is read."""

from __future__ import annotations

from requests.structures import CaseInsensitiveDict

from switchboard.errors import Problem
from switchboard.inbound import built_in, record
from switchboard.inbound.draft import Draft, Incoming
from switchboard.lib.plumbing import Plumbing
from switchboard.mail import address
from switchboard.mail.arrival import REPLY
from switchboard.mail.places import unmappable
from switchboard.providers.email import SMTP
from switchboard.sinks import tokens

MAX_LOCAL_PART = 64  # RFC 5321 section 4.5.3.1.1


def check(lib: Plumbing, recipient: str, remote_addr: str, sender: str) -> None:
    """Raise Invalid unless `recipient` is at the inbound domain with a token that is good now.

    A refusal is recorded; a flood of them folds. Raises Unavailable.
    """
    try:
        _check(lib, recipient)
    except Problem as problem:
        headers = {"X-Envelope-From": f"<{sender}>", "X-Envelope-To": recipient}
        incoming = Incoming(None, None, CaseInsensitiveDict(headers), b"", remote_addr)
        source = built_in.find(lib, SMTP)
        record.refuse(lib, Draft(incoming, source=source, event_type=REPLY), problem)
        raise


def _check(lib: Plumbing, recipient: str) -> None:
    domain = lib.settings["INBOUND_DOMAIN"]
    local, _, host = recipient.rpartition("@")
    if host.rstrip(".").casefold() != domain.casefold():
        raise unmappable("Mail is taken for the inbound domain alone, and never passed on.")
    token = tokens.token_in(recipient, domain) if len(local) <= MAX_LOCAL_PART else None
    if token is None:
        raise unmappable("This address takes no mail: it has no token behind a plus sign.")
    with lib.db.read() as session:
        address.by_token(session, token)
