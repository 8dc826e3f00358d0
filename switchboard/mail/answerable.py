"""What an account can answer by mail: the places of which it holds good tokens; and ending them.

A token is stored hashed and shown nowhere. A place has one for each mail about it; they end together.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import login
from switchboard.access.principals import Operator
from switchboard.errors import Invalid, NotFound
from switchboard.events import log as events
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import one_line
from switchboard.mail import places, store
from switchboard.models import Event, Thread
from switchboard.sinks import tokens
from switchboard.sinks.tokens import Answerable
from switchboard.threads import refs

MAX_PAGE = 50
MAX_TITLE = 120


def listed(
    lib: Plumbing, operator: Operator, account: str | None = None, after: str | None = None
) -> tuple[list[dict[str, Any]], str | None]:
    """What the operator's account can answer, that of the newest mail first, and `after` of the next page.

    The command line has no account and names one. Raises NotFound for a name that nobody has.
    """
    with lib.db.read() as session:
        whose = _whose(session, operator, account)
        found = tokens.answerable(session, whose.account_id, after, MAX_PAGE + 1)
        shown = found[:MAX_PAGE]
        more = shown[-1].message_id if len(found) > MAX_PAGE else None
        return [_described(session, whose, each) for each in shown], more


def revoke(
    lib: Plumbing, operator: Operator, place_id: str | None, account: str | None = None
) -> int:
    """End the tokens of one place, or with None all of the account's; how many there were.

    Raises NotFound where that place has none, or for a name that nobody has.
    """
    with lib.db.write() as session:
        whose = _whose(session, operator, account)
        count = tokens.revoke(session, whose.account_id, place_id)
        if place_id is not None and count == 0:
            raise NotFound("No mail about that can be answered.")
        if count:
            about = f"mails to {whose.name}"
            data = {"count": count, "place": place_id}
            happened = events.Happened(
                "mail.withdrawn", whose.account_id, whose.account_id, about, data
            )
            events.append(session, operator.actor, happened)
        return count


def _whose(session: Session, operator: Operator, account: str | None) -> Operator:
    if account is None:
        return operator
    found = store.account_named(session, account)
    if found is None:
        raise NotFound(f"There is no account {account}.")
    return login.of_account(session, found)


def _described(session: Session, whose: Operator, each: Answerable) -> dict[str, Any]:
    try:
        place = places.find(session, whose, each.place_id)
    except Invalid:  # it is gone, or not the account's to see any more: nothing of it is told
        kind, title, path = "gone", None, None
    else:
        kind, title, path = *_called(session, place.row), place.path
    return {
        "id": each.place_id,
        "kind": kind,
        "title": title,
        "path": path,
        "mails": each.mails,
        "made_at": clock.iso(each.made_at),
        "expires_at": clock.iso(each.expires_at),
        "used_at": clock.iso(each.used_at),
    }


def _called(session: Session, row: Any) -> tuple[str, str]:
    """What kind of a place it is, and its title in one line."""
    if isinstance(row, Thread):
        where = refs.of(session, [row.id])[row.id]
        return row.kind, one_line(f"{row.title} ({where['repo']}#{where['number']})", MAX_TITLE)
    if isinstance(row, Event):
        return "question", one_line(str(row.data.get("question", "")), MAX_TITLE)
    return "todo", one_line(row.title, MAX_TITLE)
