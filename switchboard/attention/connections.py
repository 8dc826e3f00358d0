"""Which connections need a human."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from switchboard.access.principals import Operator
from switchboard.attention.need import Need
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.vault import connections


def of_connections(lib: Plumbing, operator: Operator) -> Iterator[Need]:
    """Those in view whose last test failed, and those that a provider asked to slow down."""
    for each in connections.in_view(lib, operator):
        link = f"/settings/connections#{each['id']}"
        title = f"Connection {each['name']}"
        last = each["last_test"]
        if last and not last["ok"]:
            cause = " ".join(part for part in (last["class"], last["code"]) if part)
            why = f"Its last test failed ({cause})."
            yield Need("connection-fails", each["id"], title, why, link, last["at"])
        if closed(each):
            why = f"{each['account_key']} asked us to slow down; replies wait until it opens again."
            until = each["closed_until"]
            yield Need("connection-closed", each["id"], title, why, link, until)


def closed(connection: Mapping[str, Any]) -> bool:
    """Whether a provider's request to slow down still holds."""
    until = connection["closed_until"]
    return until is not None and datetime.fromisoformat(until) > clock.now()
