"""The event log in an operator's view: their own and their teams' events, an admin's everybody's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from switchboard.access import owners
from switchboard.access.principals import Operator
from switchboard.events import calls, log
from switchboard.events.catalogue import API_REQUEST
from switchboard.lib.plumbing import Plumbing


def in_view(lib: Plumbing, operator: Operator, **wanted: Any) -> log.Page:
    """A page of events as `events.log.page` takes what is `wanted`, each with its owner's JSON form.

    Raises Invalid for an unknown type.
    """
    if wanted.get("type") == API_REQUEST:
        calls.settle(lib)
    page = log.page(lib, None if operator.is_admin else operator.visible, **wanted)
    known = owners.labels(lib, {each["owner_id"] for each in page.events if each["owner_id"]})
    return log.Page([_labelled(each, known) for each in page.events], page.next)


def _labelled(event: Mapping[str, Any], known: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    kept = {name: value for name, value in event.items() if name != "owner_id"}
    return kept | {"owner": known.get(event["owner_id"])}
