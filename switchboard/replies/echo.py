"""Our own posts coming back: recognised by the object made, or by address and text.

A webhook can beat the provider's answer, so a reply still being dialled is matched by what it says;
and an echo that matches an `unknown` one proves that it was posted.
"""

from __future__ import annotations

from dataclasses import dataclass

from switchboard.lib import clock
from switchboard.lib.express import Write
from switchboard.lib.plumbing import Plumbing
from switchboard.providers.base import Event
from switchboard.replies import store
from switchboard.replies.wording import text_hash

ECHO_SECONDS = 86_400


@dataclass(frozen=True)
class Echo:
    """The reply that came back; `proves` when until now nobody knew what it made."""

    reply_id: str
    object_id: str
    proves: bool


def find(lib: Plumbing, owner_id: str, event: Event) -> Echo | None:
    """The reply of this owner that the event is the echo of, or None."""
    if event.address is None or event.object_id is None:
        return None
    since, key = clock.ago(ECHO_SECONDS), event.address.key
    with lib.db.read() as session:
        posted = store.posted_object(session, owner_id, key, event.object_id, since)
        if posted:
            return Echo(posted, event.object_id, proves=False)
        if not event.text:
            return None
        same_text = text_hash(event.text)
        reply_id = store.unsettled_with_text(session, owner_id, key, same_text, since)
        return Echo(reply_id, event.object_id, proves=True) if reply_id else None


def writes(echo: Echo | None) -> list[Write]:
    """What keeps the proof: an `unknown` reply was posted after all, a pending one will be `sent`."""
    if echo is None or not echo.proves:
        return []
    return [store.proof_write(echo.reply_id, echo.object_id, clock.now())]
