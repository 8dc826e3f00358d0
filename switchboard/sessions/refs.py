"""Work item refs: what an agent is at work on, called in one way whoever names it (docs/ask.md).

`github:acme/rocket#7` (with `host/` in front on an Enterprise server), `gitea:host/acme/rocket#7`,
`slack:TEAM/CHANNEL/ts`, `cairn:host/artifact`, `todo:<id>`, `ticket:<repo>#<n>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from switchboard.errors import BadRequest, Invalid
from switchboard.lib import ids
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import answering_kind, answering_kinds
from switchboard.threads import refs

MAX_REF = 400  # characters, what a column holds
OWN_KINDS = ("todo", "ticket")


@dataclass(frozen=True)
class WorkItem:
    """A work item by kind and name; as text it is its ref."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


def parse(lib: Plumbing, text: str) -> WorkItem:
    """The work item of a ref, in its one canonical form. Raises BadRequest `malformed_ref`."""
    kind, _, name = text.partition(":")
    canonical = None
    if len(text) <= MAX_REF:
        canonical = _own(kind, name) if kind in OWN_KINDS else _foreign(lib, kind, name)
    if canonical is None:
        raise BadRequest(
            "That is no work item. One is written like github:acme/rocket#7, "
            "gitea:git.example.org/acme/rocket#7, slack:TEAM/CHANNEL/ts, cairn:host/artifact, "
            "todo:<id> or ticket:<repo>#<n>.",
            "malformed_ref",
            field="ref",
        )
    return WorkItem(kind, canonical)


def _own(kind: str, name: str) -> str | None:
    if kind == "todo":
        return name if ids.is_id(name, "todo") else None
    try:
        _, repo, number = refs.parse(f"ticket:{name}")
    except Invalid:
        return None
    return f"{repo.lower()}#{number}"


def _foreign(lib: Plumbing, kind: str, name: str) -> str | None:
    provider = answering_kinds(lib.settings).get(kind)
    address = provider.address_called(name) if provider else None
    if provider is None or address is None or len(address.key) > MAX_REF:
        return None
    return provider.work_item(address.as_dict())


def for_address(lib: Plumbing, reply_to: Mapping[str, Any]) -> WorkItem:
    """The work item that a reply address is a place of."""
    kind = str(reply_to["provider"])
    return WorkItem(kind, answering_kind(lib.settings, kind).work_item(reply_to))


def address_of(lib: Plumbing, item: WorkItem) -> dict[str, Any] | None:
    """Where a comment on the work item goes; None for Switchboard's own, which keep theirs themselves."""
    if item.kind in OWN_KINDS:
        return None
    address = answering_kind(lib.settings, item.kind).address_called(item.name)
    assert address is not None  # a work item is parsed, or of an address
    return address.as_dict()


def question_page(ref: str, owner: str | None = None) -> str:
    """The path of a question's page, with its owner's name, as several may have been asked."""
    named = {"owner": owner} if owner else {}
    return f"/question?{urlencode({'ref': ref} | named, safe=':/')}"
