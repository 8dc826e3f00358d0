"""Our own posts coming back: recognised by the object made, by address and text, by the bot, by the mark.

The mark counts only where the connection's own identity wrote it: a person may quote it.

A webhook can beat the provider's answer, so a reply still being dialled is matched by what it says;
and an echo that matches an `unknown` one proves that it was posted.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from switchboard.lib import clock
from switchboard.lib.express import Write
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import answering_kind
from switchboard.providers.base import Event
from switchboard.replies import dial_store, marker, store
from switchboard.replies.wording import text_hash
from switchboard.vault import connections

ECHO_SECONDS = 86_400


@dataclass(frozen=True)
class Echo:
    """Our own post coming back: of which reply, if that is known.

    `proves` is the object it made at the provider, where nobody knew that until now.
    """

    reply_id: str | None = None
    proves: str | None = None


def find(lib: Plumbing, owner_id: str, event: Event) -> Echo | None:
    """The post of this owner that the event is the echo of, or None."""
    placed = event.address is not None and event.object_id is not None
    if not placed and event.bot_id is None:
        return None
    with lib.db.read() as session:
        found = _reply(session, owner_id, event)
        if found is None and (
            _by_our_bot(session, owner_id, event) or _marked(lib, session, owner_id, event)
        ):
            return Echo()
        return found


def _reply(session: Session, owner_id: str, event: Event) -> Echo | None:
    """The reply of this owner that made the event's object, or may have."""
    if event.address is None or event.object_id is None:
        return None
    since, key = clock.ago(ECHO_SECONDS), event.address.key
    if reply_id := store.posted_object(session, owner_id, key, event.object_id, since):
        return Echo(reply_id)
    if not event.text:
        return None
    same_text = text_hash(event.text)
    reply_id = store.unsettled_with_text(session, owner_id, key, same_text, since)
    return Echo(reply_id, event.object_id) if reply_id else None


def _by_our_bot(session: Session, owner_id: str, event: Event) -> bool:
    return event.bot_id is not None and connections.posts_as(session, owner_id, event.bot_id)


def _marked(lib: Plumbing, session: Session, owner_id: str, event: Event) -> bool:
    """Whether it bears our mark and was written by whom the owner's connection there posts as."""
    if event.address is None or event.author is None or not marker.is_marked(event.text or ""):
        return False
    address = event.address.as_dict()
    host = answering_kind(lib.settings, event.address.provider).address_host(address)
    connection = connections.for_account(session, owner_id, event.address.provider, host)
    return connection is not None and connections.writes_as(connection, event.author)


def writes(echo: Echo | None, delivery_id: str) -> list[Write]:
    """What keeps the echo beside its reply, and the proof: an `unknown` one was posted after all."""
    if echo is None or echo.reply_id is None:
        return []
    kept = [dial_store.echo_write(echo.reply_id, delivery_id)]
    if echo.proves is not None:
        kept.append(dial_store.proof_write(echo.reply_id, echo.proves, clock.now()))
    return kept
