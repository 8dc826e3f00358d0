"""What people give for a sink, checked and tidied."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from switchboard.access.principals import Operator, Owner
from switchboard.errors import Conflict, Invalid
from switchboard.lib.plumbing import Plumbing
from switchboard.outbox.topics import EVENTS
from switchboard.providers import notifying_kinds
from switchboard.readers import is_mail_address
from switchboard.vault import connections

EMAIL = "email"
DEFAULT_EVENTS = tuple(EVENTS)


def kinds() -> tuple[str, ...]:
    """The kinds of sinks there are."""
    return (EMAIL, *notifying_kinds())


def check_kind(lib: Plumbing, kind: str) -> str:
    """The kind. Raises Invalid for none, Conflict `mail_not_configured` where no mail is sent."""
    if kind not in kinds():
        raise Invalid(f"Unknown kind; there are: {', '.join(kinds())}.", field="kind")
    if kind == EMAIL and lib.settings["SMTP_URL"] is None:
        raise Conflict(
            "This installation sends no mail. Set SWITCHBOARD_SMTP_URL and SWITCHBOARD_MAIL_FROM, "
            "and restart.",
            "mail_not_configured",
            field="kind",
        )
    return kind


def check_events(events: Sequence[str]) -> list[str]:
    """The events subscribed to, in the order of the table. Raises Invalid for an unknown one, or none."""
    if strange := sorted(set(events) - set(EVENTS)):
        raise Invalid(
            f"There is no event {strange[0]}; there are: {', '.join(EVENTS)}.", field="events"
        )
    if not events:
        raise Invalid(f"Subscribe to at least one of {', '.join(EVENTS)}.", field="events")
    return [event for event in EVENTS if event in events]


def check_address(kind: str, address: str | None) -> str | None:
    """The address, None for everybody's own. Raises Invalid."""
    tidy = (address or "").strip()
    if not tidy:
        return None
    if kind != EMAIL:
        raise Invalid("Only an email sink has an address.", field="address")
    if not is_mail_address(tidy):
        raise Invalid("Give one mail address in plain letters, or none.", field="address")
    return tidy


def check_connection(
    session: Session, operator: Operator, owner: Owner, kind: str, ref: str | None
) -> str | None:
    """The id of the owner's connection of that kind. Raises Invalid, NotFound, Conflict, Forbidden."""
    tidy = (ref or "").strip()
    if kind == EMAIL:
        if tidy:
            raise Invalid("An email sink needs no connection.", field="connection")
        return None
    if not tidy:
        raise Invalid(
            f"Name a connection of the kind {kind}; `connection add {kind}` keeps its credential.",
            field="connection",
        )
    found = connections.configurable(session, operator, tidy)
    if found.owner_id != owner.id or found.kind != kind:
        raise Invalid(f"That is no {kind} connection of {owner.name}.", field="connection")
    return found.id
