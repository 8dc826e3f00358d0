"""Where a delivery goes, and whether its answer may go back: rules, targets and the human's pins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from switchboard.errors import Invalid
from switchboard.inbound import rules
from switchboard.inbound.ack_store import FoundSource, Target
from switchboard.inbound.draft import Draft
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import admitted
from switchboard.providers.base import Address, Check, Event, Remark

RED = ("failure", "error")


@dataclass(frozen=True)
class Plan:
    """What is to become of a delivery; `cause` is why it is dropped (`self_reply`, `rule`), if it is."""

    targets: tuple[Target, ...] = ()
    address: Address | None = None
    cause: str | None = None


def plan(lib: Plumbing, draft: Draft, event: Event, body: Any, *, tried: bool = False) -> Plan:
    """The targets and the reply address; what the rules said is noted in the draft's `trace`.

    `tried` says that nothing will come of it. Raises Invalid `no_target` when nobody would get the work.
    """
    source = draft.source
    assert source is not None
    if event.letter is None:  # a test message makes nothing, so there is nothing to rule on
        return Plan()
    choice = rules.choose(lib, source, event, body, tried=tried)
    draft.trace = choice.trace
    if choice.dropped:
        return Plan(cause="rule")
    if not _makes_todo(source, event):
        return Plan()
    # what is filed stands on its own: a human sees it, and can adopt a ticket
    if not choice.targets and event.artifact is None:
        raise _no_target(narrowed=bool(source.targets))
    return Plan(choice.targets, _address_of(draft, event))


def _makes_todo(source: FoundSource, event: Event) -> bool:
    if isinstance(event.artifact, Remark):
        return False
    if isinstance(event.artifact, Check):
        return source.red_opens_todo and event.artifact.state in RED
    return True


def _no_target(*, narrowed: bool) -> Invalid:
    if narrowed:
        return Invalid(
            "The rule that matched leaves no live endpoint that was granted its queue. "
            "Mend the rule, or grant the queue.",
            "no_target",
        )
    return Invalid(
        "The source has no live endpoint to give work to. Add one, or route it to another.",
        "no_target",
    )


def _address_of(draft: Draft, event: Event) -> Address | None:
    """The event's reply address if the source may speak for that repository, else None.

    A signature proves that the sender knows the secret, not that the repository in the body is his.
    """
    assert draft.source is not None
    globs = draft.source.repo_globs
    if event.address is None or not draft.verified:
        return None
    return event.address if not globs or admitted(event.repo or "", globs) else None
