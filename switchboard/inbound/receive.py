"""What happens when a provider calls: the pipeline, in the order in which it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from switchboard.access import letters
from switchboard.errors import Conflict, Invalid, Locked, NotFound, Problem, Unavailable
from switchboard.inbound import ack_store, dedupe, lanes, record, route
from switchboard.inbound.draft import Draft, Incoming
from switchboard.lib import clock, crypto, payload
from switchboard.lib.express import Lost
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import provider_of
from switchboard.providers.base import Event, Origin
from switchboard.replies import echo

TRIES = 3


@dataclass(frozen=True)
class Answer:
    """What the sender is told."""

    status: int
    body: dict[str, Any]

    @property
    def retry_after(self) -> int | None:
        """Seconds after which another try is welcome."""
        return self.body.get("retry_after")


def receive(lib: Plumbing, incoming: Incoming) -> Answer:
    """Take one delivery through the pipeline; whatever becomes of it is recorded.

    Never raises for what a sender sent. Raises Unavailable when nothing can be recorded.
    """
    for number in range(TRIES):
        draft = Draft(incoming)
        # On Postgres no turn is spent by trying to write, so a repeat may be found out that way.
        look = lib.db.is_sqlite or number > 0
        try:
            return _take(lib, draft, look=look)
        except Lost:
            # another copy came first, so now it is found; unless it was let go just then
            continue
    raise Unavailable("This delivery could not be recorded. Try again.", retry_after=1)


def _take(lib: Plumbing, draft: Draft, *, look: bool) -> Answer:
    try:
        return _pipeline(lib, draft, look=look)
    except Problem as problem:
        record.refuse(lib, draft, problem)
        return Answer(problem.status, problem.as_dict())


def _pipeline(lib: Plumbing, draft: Draft, *, look: bool) -> Answer:
    source = _find_source(lib, draft)
    if draft.incoming.problem:
        raise draft.incoming.problem
    _verify(lib, draft)
    lanes.charge(lib, source.id)
    body = _read(draft)
    _identify(lib, draft, body)
    if look and (repeat := dedupe.find_repeat(lib, draft)):
        return Answer(*dedupe.answer_repeat(lib, repeat))
    event = _understand(lib, draft, body)
    letters.require(source.letters, "n", f"The source {source.name}")
    back = echo.find(lib, source.owner_id, event)
    targets = route.targets(source) if event.makes_todo and not back else ()
    address = route.address_of(source, event)
    return Answer(202, record.accept(lib, draft, event, targets, address, back))


def _find_source(lib: Plumbing, draft: Draft) -> ack_store.FoundSource:
    token_hash = crypto.token_hash(draft.incoming.token)
    draft.source = lib.recent.get(
        token_hash, lambda: ack_store.find_source(lib.express, token_hash, clock.now())
    )
    if draft.source is None:
        raise NotFound("No source has this address.", "unknown_source")
    return draft.source


def _verify(lib: Plumbing, draft: Draft) -> None:
    source, incoming = _source(draft), draft.incoming
    provider = provider_of(lib.settings, source.kind)
    draft.event_type = provider.event_type(incoming.headers, None)
    provider.verify(incoming.headers, incoming.raw, _secrets(lib, source))
    draft.verified, draft.trust = True, "signed"
    if source.state == "paused":
        raise Locked("A human paused this source; it takes nothing until it is resumed.")


def _secrets(lib: Plumbing, source: ack_store.FoundSource) -> list[str]:
    try:
        return [lib.sealer.open(sealed, secret_id) for secret_id, sealed in source.secrets]
    except Conflict as error:
        # ours to mend, not the sender's: so the family that asks for another try
        raise Unavailable(error.detail, error.code, retry_after=60) from None


def _read(draft: Draft) -> Any:
    incoming = draft.incoming
    try:
        return payload.read(incoming.headers.get("Content-Type", ""), incoming.raw)
    except ValueError as error:
        return Invalid(f"The body is not JSON we take: {_short(error)}.", "invalid_json")


def _short(error: ValueError) -> str:
    return "it is not UTF-8" if isinstance(error, UnicodeError) else str(error).rstrip(".")[:200]


def _identify(lib: Plumbing, draft: Draft, body: Any) -> None:
    """Fill in what the delivery is called; only then can a repeat, even of a refusal, be known."""
    provider = provider_of(lib.settings, _source(draft).kind)
    draft.event_type = provider.event_type(draft.incoming.headers, body)
    draft.sender_id = provider.delivery_id(draft.incoming.headers, body)
    draft.keys = dedupe.keys_of(draft)


def _understand(lib: Plumbing, draft: Draft, body: Any) -> Event:
    if isinstance(body, Invalid):
        raise body
    source = _source(draft)
    provider = provider_of(lib.settings, source.kind)
    event = provider.understand(draft.incoming.headers, body, Origin(source.host))
    draft.event_type, draft.subject = event.kind, event.title
    return event


def _source(draft: Draft) -> ack_store.FoundSource:
    assert draft.source is not None
    return draft.source
