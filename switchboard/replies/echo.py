"""Our own posts coming back: recognised by the object made, or by address and text.

A webhook can beat the provider's answer, so a reply still being dialled is matched by what it says;
and an echo that matches an `unknown` one proves that it was posted.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from switchboard.lib import clock
from switchboard.providers.base import Event
from switchboard.replies import store
from switchboard.replies.wording import text_hash

ECHO_SECONDS = 86_400


@dataclass(frozen=True)
class Echo:
    """The reply that came back; `proves` when until now nobody knew whether it was posted."""

    reply_id: str
    object_id: str
    proves: bool


def find(session: Session, owner_id: str, event: Event) -> Echo | None:
    """The reply of this owner that the event is the echo of, or None."""
    if event.address is None or event.object_id is None:
        return None
    since, key = clock.ago(ECHO_SECONDS), event.address.key
    posted = store.posted_object(session, owner_id, key, event.object_id, since)
    if posted:
        return Echo(posted, event.object_id, proves=False)
    if not event.text:
        return None
    open_ = store.unsettled_with_text(session, owner_id, key, text_hash(event.text), since)
    return Echo(open_.id, event.object_id, open_.state == "unknown") if open_ else None


def settle(session: Session, echo: Echo) -> None:
    """An `unknown` reply whose echo arrived was posted after all."""
    if echo.proves:
        store.settle(
            session,
            echo.reply_id,
            ["unknown"],
            state="sent",
            error_class=None,
            error_code=None,
            provider_object_id=echo.object_id,
            finished_at=clock.now(),
        )
