"""What happens when somebody calls: the pipeline, in the order in which it runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from switchboard.access import letters
from switchboard.errors import Conflict, Invalid, NotFound, Problem, Unauthenticated, Unavailable
from switchboard.inbound import ack_store, dedupe, diagnosis, lanes, pause, record, route
from switchboard.inbound.draft import Draft, Incoming
from switchboard.lib import clock, crypto, payload
from switchboard.lib.express import Lost
from switchboard.lib.plumbing import Plumbing
from switchboard.providers import source_kind
from switchboard.providers.base import Event, Origin, SourceKind
from switchboard.replies import echo

TRIES = 3


@dataclass(frozen=True)
class Answer:
    """What the sender is told, and whether he comes faster than he should."""

    status: int
    body: dict[str, Any]
    hurried: bool = False

    @property
    def retry_after(self) -> int | None:
        """Seconds after which another try is welcome."""
        return self.body.get("retry_after")


def receive(lib: Plumbing, incoming: Incoming) -> Answer:
    """Take one delivery through the pipeline; whatever becomes of it is recorded.

    Never raises for what a sender sent. Raises Unavailable when nothing can be recorded.
    """
    draft = Draft(incoming)
    for number in range(TRIES):
        # Most deliveries are no repeats, and one that is loses to the keys of the first: then we look.
        try:
            answer = _take(lib, draft, look=number > 0)
            source_id = draft.source.id if draft.source else None
            return replace(answer, hurried=lanes.hurries(lib, source_id))
        except Lost:
            # another copy came first, so now it is found; unless it was let go just then
            draft = Draft(incoming, probing=draft.probing, charged=draft.charged)
    raise Unavailable("This delivery could not be recorded. Try again.", retry_after=1)


def _take(lib: Plumbing, draft: Draft, *, look: bool) -> Answer:
    try:
        return _pipeline(lib, draft, look=look)
    except Problem as problem:
        record.refuse(lib, draft, problem)
        return Answer(problem.status, problem.as_dict())


def _pipeline(lib: Plumbing, draft: Draft, *, look: bool) -> Answer:
    _find_source(lib, draft)
    if draft.incoming.problem:
        raise draft.incoming.problem
    _verify(lib, draft)
    pause.admit(lib, draft)
    lanes.charge(lib, draft)
    body = read(lib, draft)
    if captured := _identify(lib, draft, body):
        return Answer(*dedupe.answer_repeat(lib, captured))
    look = look or dedupe.holds_a_thing(draft.keys)
    if look and (repeat := dedupe.find_repeat(lib, draft)):
        pause.repeated(lib, draft)
        return Answer(*dedupe.answer_repeat(lib, repeat))
    return become(lib, draft, body)


def become(lib: Plumbing, draft: Draft, body: Any) -> Answer:
    """From a body let in to what it becomes: understand, gate, drop our own echo, route, commit.

    Raises the refusals of these steps, and Lost when another copy came first.
    """
    event = understand(lib, draft, body)
    source = _source(draft)
    if event.letter is not None:
        letters.require(source.letters, event.letter, f"The source {source.name}")
    back = echo.find(lib, source.owner_id, event)
    plan = route.Plan(cause="self_reply") if back else route.plan(lib, draft, event, body)
    outcome = record.accept(lib, draft, event, plan, back)
    if event.answer is not None:
        return Answer(200, dict(event.answer))
    return Answer(202, outcome)


def _find_source(lib: Plumbing, draft: Draft) -> ack_store.FoundSource:
    incoming = draft.incoming
    if incoming.place is not None:
        repo, name = incoming.place
        draft.source = lib.recent.get(
            (repo.lower(), name),
            lambda: ack_store.source_by_place(lib.express, repo, name, clock.now()),
        )
    else:
        token_hash = crypto.token_hash(incoming.token or "")
        draft.source = lib.recent.get(
            token_hash, lambda: ack_store.source_by_token(lib.express, token_hash, clock.now())
        )
    if draft.source is None:
        raise NotFound("No source has this address.", "unknown_source")
    return draft.source


def _verify(lib: Plumbing, draft: Draft) -> None:
    kind, incoming = _kind(lib, draft), draft.incoming
    draft.event_type = kind.event_type(incoming.headers, None)
    secrets = _secrets(lib, _source(draft))
    try:
        kind.verify(incoming.headers, incoming.raw, secrets, clock.now())
    except Unauthenticated as problem:
        draft.diagnosis = diagnosis.of(lib, draft, problem)
        raise
    draft.verified, draft.trust = kind.signs, "signed" if kind.signs else "token"


def _secrets(lib: Plumbing, source: ack_store.FoundSource) -> list[str]:
    try:
        return [lib.sealer.open(sealed, secret_id) for secret_id, sealed in source.secrets]
    except Conflict as error:
        # ours to mend, not the sender's: so the family that asks for another try
        raise Unavailable(error.detail, error.code, retry_after=60) from None


def read(lib: Plumbing, draft: Draft) -> Any:
    """The JSON of a delivery's body, or the Invalid that refuses it once the delivery has a name."""
    content_type, raw = draft.incoming.headers.get("Content-Type", ""), draft.incoming.raw
    try:
        body = payload.read(content_type, raw)
    except ValueError as error:
        return Invalid(f"The body is not JSON we take: {_short(error)}.", "invalid_json")
    secret = _kind(lib, draft).secret_fields
    draft.masked, body = payload.without_secrets(content_type, raw, body, secret)
    return body


def _short(error: ValueError) -> str:
    return "it is not UTF-8" if isinstance(error, UnicodeError) else str(error).rstrip(".")[:200]


def _identify(lib: Plumbing, draft: Draft, body: Any) -> ack_store.Held | None:
    """Fill in what the delivery is called; only then can a repeat, even of a refusal, be known.

    Returns what a delivery repeats that came without its id: one that somebody captured.
    """
    kind, headers = _kind(lib, draft), draft.incoming.headers
    draft.event_type = kind.event_type(headers, body)
    others = kind.keys(headers, body, draft.body_sha256)
    try:
        draft.sender_id = kind.delivery_id(headers, body)
    except Invalid:
        draft.keys = dict(others)
        if repeat := dedupe.find_repeat(lib, draft):
            pause.repeated(lib, draft)
            return repeat
        draft.keys = {}  # it has no name, so it uses none up
        raise
    draft.keys = dedupe.keys_of(draft, others)
    return None


def understand(lib: Plumbing, draft: Draft, body: Any) -> Event:
    """What `read` returned as an event, noted in the draft. Raises Invalid."""
    if isinstance(body, Invalid):
        raise body
    event = _kind(lib, draft).understand(draft.incoming.headers, body, Origin(_source(draft).host))
    draft.event_type, draft.subject = event.kind, event.title
    return event


def _kind(lib: Plumbing, draft: Draft) -> SourceKind:
    return source_kind(lib.settings, _source(draft).kind)


def _source(draft: Draft) -> ack_store.FoundSource:
    assert draft.source is not None
    return draft.source
