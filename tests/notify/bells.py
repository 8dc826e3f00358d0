"""What the tests of notify hooks share: setting one, ringing what is due, making time pass."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select, update
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from switchboard.access.endpoints import Vended
from switchboard.access.principals import Machine
from switchboard.lib import clock
from switchboard.models import HookCall
from switchboard.notify import hooks, ringing, store
from tests.standins.receiver import Call
from tests.world import World


def set_hook(world: World, url: str, endpoint: Vended | None = None) -> str:
    """Give an endpoint (default: the world's) a hook; its secret."""
    ref = (endpoint or world.endpoint).endpoint["id"]
    return hooks.put(world.lib, Machine(), ref, url).secret


def health(world: World, endpoint: Vended | None = None) -> dict[str, Any]:
    return hooks.get(world.lib, Machine(), (endpoint or world.endpoint).endpoint["id"])


def ring_due(world: World) -> None:
    """Make every call that is due, as a worker's job does, and wait for the end."""
    with world.lib.db.read() as session:
        due = store.due(session, clock.now())
    for thread in [ringing.take_up(world.lib, call_id) for call_id in due]:
        if thread is not None:
            thread.join(10)


def calls(world: World) -> list[HookCall]:
    """The rows, oldest first."""
    with world.lib.db.read() as session:
        rows = list(session.scalars(select(HookCall).order_by(HookCall.id)))
        session.expunge_all()
    return rows


def change(world: World, **values: Any) -> None:
    """Set columns of every call, as when time has passed."""
    with world.lib.db.write() as session:
        session.execute(update(HookCall).values(**values))


def come_due(world: World) -> None:
    """What waits for another attempt waits no longer."""
    change(world, next_at=clock.now())


def verified(call: Call, secret: str) -> Any:
    """The body as the stock library reads it; raises WebhookVerificationError."""
    return Webhook(secret).verify(call.body, dict(call.headers))


def verifies(call: Call, secret: str) -> bool:
    try:
        verified(call, secret)
    except WebhookVerificationError:
        return False
    return True


def said(call: Call) -> Any:
    return json.loads(call.body)
