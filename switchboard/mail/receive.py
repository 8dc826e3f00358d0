"""What happens when mail comes in, by whichever way: proved, told from a repeat, mapped, written, rung for.

Nothing of the MIME body is read here; that is a worker's (`process.py`), after the answer.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sqlalchemy.orm import Session

from switchboard.access import letters
from switchboard.errors import Conflict, Invalid, Problem, Unauthenticated, Unavailable
from switchboard.inbound import built_in, dedupe, lanes, pause, record
from switchboard.inbound.ack_store import Held
from switchboard.inbound.draft import Draft, Incoming
from switchboard.inbound.receive import Answer
from switchboard.lib import clock, ids, queue
from switchboard.lib.express import Lost
from switchboard.lib.plumbing import Plumbing
from switchboard.mail import address, bounces, places, store, vouching
from switchboard.mail.address import Claim
from switchboard.mail.arrival import REPLY, Arrival, Event, Mail, event_in, is_event, mail_in
from switchboard.providers import email
from switchboard.sinks import tokens

TRIES = 3
COMPRESSION = 1
DAY_SECONDS = 86_400
EVERY_WAY = "mail"  # in which a mail's key is claimed beside its source's own
CAME_BEFORE = "came_before"


@dataclass(frozen=True)
class Item:
    """One answer in what arrived: its message's name, whose and where it is, what is to be kept of it.

    `mail` is None for a notify service's event, `token` also for a mail that a trusted server vouches for;
    `trust` says on whose word a mail is let in.
    """

    name: str
    place: str
    claim: Callable[[Session], Claim]
    form: str
    content: bytes
    mail: Mail | None = None
    token: str | None = None
    trust: str | None = None


def receive(lib: Plumbing, arrival: Arrival) -> Answer:
    """Take what arrived; whatever becomes of it is recorded. A mail to two tokens is two answers.

    Never raises for what a sender sent. Raises Unavailable when nothing can be recorded.
    """
    draft = _draft(lib, arrival)
    try:
        items = _items(lib, draft, arrival)
        if isinstance(items, Answer):
            return items
    except Problem as problem:
        record.refuse(lib, draft, problem)
        return Answer(problem.status, problem.as_dict())
    answers = [_take(lib, arrival, item, draft if n == 0 else None) for n, item in enumerate(items)]
    # what one of them was taken for is not to be sent again because of the others
    return min(answers, key=lambda each: (each.status >= 300, each.status))


def _draft(lib: Plumbing, arrival: Arrival) -> Draft:
    incoming = Incoming(
        token=None,
        place=None,
        headers=arrival.headers,
        raw=arrival.raw,
        remote_addr=arrival.remote_addr,
        received=arrival.received or len(arrival.raw),
        problem=arrival.problem,
    )
    return Draft(
        incoming,
        source=built_in.find(lib, arrival.transport),
        event_type=REPLY,
        masked=arrival.excerpt,
    )


def _items(lib: Plumbing, draft: Draft, arrival: Arrival) -> list[Item] | Answer:
    """The answers in a request that proved itself; or what is said to one that holds none.

    Raises Unauthenticated, Locked, RateLimited, Invalid.
    """
    if draft.source is None:
        raise Unauthenticated("Nobody set up mail here: no secret is on file.", "missing_signature")
    if arrival.problem:
        raise arrival.problem
    email.verify(arrival.transport, arrival.headers, arrival.raw, _secrets(lib, draft), clock.now())
    if is_event(arrival):
        draft.verified, draft.trust = True, "signed"
    pause.admit(lib, draft)
    lanes.charge(lib, draft)
    if is_event(arrival):
        return _event(lib, draft, arrival)
    mail = mail_in(arrival)
    draft.sender_id = mail.name
    if mail.null_sender:
        raise Invalid("This mail has no sender: a mail system wrote it.", "auto_reply")
    return _answers(lib, mail)


def _answers(lib: Plumbing, mail: Mail) -> list[Item]:
    """One for each token; without any, the one of a sender whom a trusted server vouches for."""
    content = zlib.compress(mail.raw, COMPRESSION)
    known = mail.name or hashlib.sha256(mail.raw).hexdigest()
    if tokens := address.tokens_of(mail.recipients, mail.message, lib.settings["INBOUND_DOMAIN"]):
        return [
            Item(
                known,
                each,
                partial(address.by_token, token=each),
                "mime",
                content,
                mail,
                each,
                "reply_token",
            )
            for each in tokens
        ]
    sender = vouching.sender_vouched_for(mail.message, lib.settings["MAIL_TRUSTED_SERVER"])
    place_id = vouching.place_of(mail.message)
    if sender is None or place_id is None:
        raise address.why_no_token(mail.message)
    claim = partial(vouching.claim, sender=sender, place_id=place_id)
    return [Item(known, place_id, claim, "mime", content, mail, trust="dmarc")]


def _secrets(lib: Plumbing, draft: Draft) -> list[str]:
    assert draft.source is not None
    try:
        return [lib.sealer.open(sealed, secret_id) for secret_id, sealed in draft.source.secrets]
    except Conflict as error:
        raise Unavailable(error.detail, error.code, retry_after=60) from None


def _event(lib: Plumbing, draft: Draft, arrival: Arrival) -> list[Item] | Answer:
    event = event_in(arrival)
    draft.event_type, draft.sender_id = event.type[:128], event.message or None
    if event.type != REPLY:
        return _other(lib, draft, event)
    claim = partial(
        address.by_transaction, transaction_id=event.transaction, subscriber=event.subscriber
    )
    content = zlib.compress(event.text.encode("utf-8", "replace"), COMPRESSION)
    return [Item(event.message, event.transaction, claim, "text", content)]


def _other(lib: Plumbing, draft: Draft, event: Event) -> Answer:
    """An event of the stream that is no answer, such as a receipt: recorded, and made nothing of."""
    outcome = _outcome(draft) | {"dropped": True, "cause": "other_event"}
    reason = f"{event.type} is no answer to a notification, so it makes nothing."[:300]
    lib.express.commit(record.taken_up(draft, "other_event", reason, outcome))
    return Answer(202, outcome)


def _take(lib: Plumbing, arrival: Arrival, item: Item, draft: Draft | None) -> Answer:
    """One answer: a repeat, a refusal, or a row that a worker reads."""
    for _ in range(TRIES):
        draft = draft or _draft(lib, arrival)
        _name(lib, draft, arrival, item)
        try:
            if repeat := dedupe.find_repeat(lib, draft):
                return Answer(*dedupe.answer_repeat(lib, repeat))
            if first := dedupe.held_in_common(lib, EVERY_WAY, _key(item)):
                return _came_before(lib, draft, item, first)
            return _accept(lib, draft, item)
        except Problem as problem:
            try:
                record.refuse(lib, draft, problem)
            except Lost:
                draft = None
                continue
            if item.mail and item.token:
                bounces.of_token(lib, item.mail, item.token, problem)
            return Answer(problem.status, problem.as_dict())
        except Lost:
            draft = None  # another copy came first, so now it is found
    raise Unavailable("This mail could not be recorded. Try again.", retry_after=1)


def _name(lib: Plumbing, draft: Draft, arrival: Arrival, item: Item) -> None:
    if is_event(arrival):
        draft.verified, draft.trust = True, "signed"
    draft.sender_id = item.name
    draft.keys = {_key(item): _kept(lib), **email.keys(arrival.transport, arrival.headers)}


def _key(item: Item) -> str:
    """What tells a repeat: the message's name, with its token or transaction."""
    digest = hashlib.sha256(f"{item.name}\0{item.place}".encode("utf-8", "replace")).hexdigest()
    return f"mail:{digest}"


def _kept(lib: Plumbing) -> int:
    return int(lib.settings["RETENTION_DAYS"]) * DAY_SECONDS


def _came_before(lib: Plumbing, draft: Draft, item: Item, first: Held) -> Answer:
    """The very mail came by another way (a copy to a second server, a migration): that one counts."""
    draft.verified, draft.trust = True, item.trust or draft.trust
    outcome = _outcome(draft) | {"duplicate": True, "dropped": True, "cause": CAME_BEFORE}
    reason = f"This mail came before by another way, as {first.id}. What became of it stands there."
    kept = outcome | {"repeat_of": first.id}
    lib.express.commit(record.taken_up(draft, CAME_BEFORE, reason, kept, 200))
    return Answer(200, kept)


def _accept(lib: Plumbing, draft: Draft, item: Item) -> Answer:
    """Commit the delivery and the message. Raises the refusals of the mapping, and Lost."""
    assert draft.source is not None
    with lib.db.read() as session:
        claim = _claim(session, draft, item)
        place = places.find(session, claim.operator, claim.place_id)
    letters.require(draft.source.letters, place.letter, f"The source {draft.source.name}")
    letters.require(claim.operator.letters, place.letter, f"The account {claim.operator.name}")
    mail_id = ids.new("mail")
    outcome = _outcome(draft) | {"artifacts": [{"type": "mail", "id": mail_id}]}
    row = {
        "id": mail_id,
        "delivery_id": draft.id,
        "account_id": claim.operator.account_id,
        "place_id": claim.place_id,
        "form": item.form,
        "raw": item.content,
        "excerpt": None,
        "attempts": 0,
        "created_at": clock.now(),
        "processed_at": None,
    }
    reason = f"Taken for {claim.operator.name}; a worker reads it next."
    used = [tokens.use_write(item.token)] if item.token else []
    alone = dedupe.claim_in_common(EVERY_WAY, draft.id, _key(item), _kept(lib))
    taken = record.taken_up(draft, "accepted", reason, outcome)
    lib.express.commit([*taken, *alone, store.message_write(row), *used])
    queue.ring(lib.valkey, queue.READ_MAIL, mail_id)
    return Answer(202, outcome)


def _claim(session: Session, draft: Draft, item: Item) -> Claim:
    """Whose and where it is. A token that was given to somebody proves a mail, even one that ran out."""
    try:
        claim = item.claim(session)
    except Invalid as problem:
        if item.token and problem.code != "unmappable":
            draft.verified, draft.trust = True, item.trust
        raise
    if item.trust:
        draft.verified, draft.trust = True, item.trust
    return claim


def _outcome(draft: Draft) -> dict[str, object]:
    return {
        "delivery": draft.id,
        "todos": [],
        "artifacts": [],
        "created": 0,
        "duplicate": False,
        "dropped": False,
        "cause": None,
        "verified": draft.verified,
        "trust": draft.trust,
    }
