"""What persons said on a work item since its question opened: offered as the answer, never taken for it."""

from __future__ import annotations

import zlib
from datetime import datetime
from typing import Any

from requests.structures import CaseInsensitiveDict
from sqlalchemy.orm import Session

from switchboard.errors import Problem
from switchboard.lib import clock, payload
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import source_kinds
from switchboard.providers.base import Event, Origin
from switchboard.replies import marker
from switchboard.sessions import held, offer_store, refs
from switchboard.sessions.offer_store import Heard
from switchboard.sessions.refs import WorkItem

MAX_OFFERS = 20


def since(
    lib: Plumbing, session: Session, owner_id: str, item: WorkItem, moment: datetime
) -> list[dict[str, Any]]:
    """`{author, text, at, delivery}` of each verified comment by a person since then, oldest first."""
    address = refs.address_of(lib, item)
    if address is None:
        return _on_own_thread(session, item, moment)
    found: dict[str, dict[str, Any]] = {}
    for heard in offer_store.heard(session, owner_id, address["key"], moment, MAX_OFFERS):
        event = _understood(lib, heard)
        if event is None or event.object_id is None or not event.author or not event.text:
            continue
        found.pop(event.object_id, None)  # edited since: the newest words count
        if not event.kind.endswith(("deleted", "message_deleted")):
            said = {"author": event.author, "text": event.text, "delivery": heard.delivery_id}
            found[event.object_id] = said | {"at": clock.iso(heard.at)}
    return [each for each in found.values() if not marker.is_marked(each["text"])]


def _understood(lib: Plumbing, heard: Heard) -> Event | None:
    """The delivery as its provider reads it, with the address it had then; None if it does not any more."""
    try:
        kind = source_kinds(lib.settings)[heard.kind]
        headers = CaseInsensitiveDict(heard.headers)
        body = payload.read(headers.get("Content-Type", ""), zlib.decompress(heard.body))
        return kind.understand(headers, body, Origin(heard.host))
    except (KeyError, ValueError, Problem):
        return None


def _on_own_thread(session: Session, item: WorkItem, moment: datetime) -> list[dict[str, Any]]:
    """What accounts said on our own ticket or todo."""
    place = held.place_of(session, item)
    if place is None:
        return []
    said = offer_store.said(session, place, moment, MAX_OFFERS)
    return [
        {"author": author, "text": text, "delivery": None, "at": clock.iso(at)}
        for author, text, at in said
        if not marker.is_marked(text)
    ]
