"""The built-in sources: one for each way by which mail comes in, the first admin's (where there is
none, the first account's), made when first needed.

They have rows, letters and a log as every source has; but nobody adds one, and only the admin who owns
them, or the command line, gives them a secret.
"""

from __future__ import annotations

import secrets

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from switchboard.inbound import ack_store, store
from switchboard.inbound.ack_store import FoundSource
from switchboard.lib import clock, crypto, ids
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Source
from switchboard.providers.email import TRANSPORTS, Email, Transport

PREFIX = "mail-"


class _Known:
    """Whether this process has seen them all: then it looks no more."""

    made = False


def ensure(lib: Plumbing) -> None:
    """Make those that are missing, once somebody exists to own them."""
    known = lib.own(_Known)
    if known.made:
        return
    for transport in TRANSPORTS.values():
        try:
            with lib.db.write() as session:
                if not _ensure(lib, session, transport):
                    return
        except IntegrityError:
            continue  # another process was first
    known.made = True


def _ensure(lib: Plumbing, session: Session, transport: Transport) -> bool:
    """Whether it is there now; False while nobody can own it, or nothing can be sealed."""
    if store.source_of_transport(session, transport.name) is not None:
        return True
    owner_id = store.first_account(session)
    if owner_id is None or not lib.settings["ENCRYPTION_KEY"]:
        return False
    source_id, token = ids.new("source"), secrets.token_urlsafe(24)
    session.add(
        Source(
            id=source_id,
            kind=Email.kind,
            name=_free_name(session, owner_id, f"{PREFIX}{transport.name}"),
            owner_account_id=owner_id,
            token_hash=crypto.token_hash(token),
            token_sealed=lib.sealer.seal(token, source_id),
            letters=Email.default_letters,
            state="active",
            host="",
            repo_globs=[],
            secret_known_to_agent=False,
            rules=[],
            red_opens_todo=False,
            failures=0,
            transport=transport.name,
            created_at=clock.now(),
        )
    )
    return True


def _free_name(session: Session, owner_id: str, wanted: str) -> str:
    taken = {each.name for each in store.sources_in(session, [owner_id])}
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def wanted(lib: Plumbing, ref: str | None = None) -> None:
    """Make them where answers to mail arrive, or where somebody asks for one by its name."""
    if lib.settings["INBOUND_DOMAIN"] or (ref or "").startswith(PREFIX):
        ensure(lib)


def find(lib: Plumbing, transport: Transport) -> FoundSource | None:
    """The source of that way with its secrets; None where nobody set up mail."""
    wanted(lib)
    return lib.recent.get(
        ("transport", transport.name),
        lambda: ack_store.source_of_transport(lib.express, transport.name, clock.now()),
    )
