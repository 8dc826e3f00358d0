"""Telling people: rows in the transaction of what is told, one for each reader, and a ring after it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.lib import clock, ids, queue
from switchboard.lib.plumbing import Plumbing
from switchboard.lib.text import clean, one_line
from switchboard.models import Sink
from switchboard.outbox import store
from switchboard.outbox.topics import EVENTS, PERSONAL_KINDS, TEST

MAX_TITLE = 300
MAX_TEXT = 16_384
APART = ("question", "comment")


@dataclass(frozen=True)
class News:
    """What there is to tell, and whom.

    `event` is one of EVENTS. Told are the sinks of the owner, and those of the accounts in `followers`
    who may see the owner's things; never the account `by`, whose doing it is, nor the sink that it is
    about. `path` is the page that shows it. `place_id` is the thread, todo or question that an answer goes
    to (None: nothing to answer), `answers` how a notify service names it, without the reader
    (`ticket-comment:cm_…`).
    """

    event: str
    owner_id: str
    about_id: str
    title: str
    text: str
    path: str
    place_id: str | None = None
    answers: str | None = None
    followers: Collection[str] = ()
    by: str | None = None


@dataclass(frozen=True)
class Due:
    """A notice that was written, to be rung for after the commit."""

    id: str
    kind: str


@dataclass(frozen=True)
class Reader:
    """Who is told by a sink: an account and an address, each None where the sink knows none."""

    account_id: str | None = None
    address: str | None = None


def tell(session: Session, news: News) -> list[Due]:
    """Write a notice for everyone who wants to know, in the caller's transaction.

    `ring` for what is returned once it is committed. Raises ValueError for an event that is none.
    """
    if news.event not in EVENTS:
        raise ValueError(f"no such event: {news.event}")
    told, seen = [], set[tuple[str | None, ...]]()
    for sink in _sinks(session, news):
        for reader in readers(session, sink):
            who = _who(sink, reader)
            if who not in seen and not _did_it(sink, reader, news):
                seen.add(who)
                told.append(_write(session, news, sink, reader))
    return told


def _sinks(session: Session, news: News) -> list[Sink]:
    """The sinks that want it: the owner's, and those of his followers that may see what is his."""
    owners = {news.owner_id}
    if news.followers:
        owners |= store.accounts_seeing(session, news.owner_id, news.followers)
    sinks = store.sinks_of(session, owners)
    return [each for each in sinks if news.event in each.events and each.id != news.about_id]


def readers(session: Session, sink: Sink) -> Iterator[Reader]:
    """Whom a sink reaches: one by one where it is personal."""
    if sink.kind not in PERSONAL_KINDS:
        yield Reader()
        return
    people = store.people_of(session, sink)
    if not sink.address:
        for each in people:
            yield Reader(each.id, each.email if sink.kind == "email" else None)
        return
    # the address of a team's list says nothing of who reads it: only a person's own names one
    theirs = [each.id for each in people if sink.owner_account_id or same(each.email, sink.address)]
    yield Reader(theirs[0] if theirs else None, sink.address)


def same(address: str, other: str) -> bool:
    """Whether two mail addresses are one, as far as anybody can tell who is not their server."""
    return address.casefold() == other.casefold()


def _who(sink: Sink, reader: Reader) -> tuple[str | None, ...]:
    """What is told once: an address is written to once, whichever of the sinks name it."""
    if sink.kind == "email":
        return ("email", (reader.address or "").casefold())
    return (sink.id, reader.account_id)


def _did_it(sink: Sink, reader: Reader, news: News) -> bool:
    return news.by is not None and news.by in (reader.account_id, sink.owner_account_id)


def _write(session: Session, news: News, sink: Sink, reader: Reader) -> Due:
    row = {
        "event": news.event,
        "bundle": _bundle(news),
        "place_id": news.place_id,
        "answers": news.answers,
        "title": one_line(news.title, MAX_TITLE),
        "text": clean(news.text, MAX_TEXT),
        "path": news.path,
        "attempts": 0,
    }
    return Due(_insert(session, sink, reader, row), sink.kind)


def write_test(session: Session, sink: Sink, reader: Reader, attempts: int) -> str:
    """The notice of a send test, with so many attempts behind it that it has one; its id."""
    row = {
        "event": TEST,
        "bundle": TEST,
        "place_id": None,
        "answers": None,
        "title": "A test from Switchboard",
        "text": f"The sink {sink.name} works.",
        "path": "/settings/sinks",
        "attempts": attempts,
    }
    return _insert(session, sink, reader, row)


def _insert(session: Session, sink: Sink, reader: Reader, row: dict[str, Any]) -> str:
    now, notice_id = clock.now(), ids.new("notice")
    who = {"sink_id": sink.id, "account_id": reader.account_id, "address": reader.address}
    when = {"state": "pending", "next_at": now, "created_at": now}
    store.insert_notice(session, {"id": notice_id, **who, **row, **when})
    return notice_id


def _bundle(news: News) -> str:
    """What may become one message in a burst: of what can be answered only what is in one place."""
    return f"{news.event}:{news.place_id}" if news.event in APART else news.event


def ring(lib: Plumbing, due: Sequence[Due]) -> None:
    """Ring for what was told, after the commit; the sweep rings for what is lost."""
    for each in due:
        job = queue.SEND_MAIL if each.kind == "email" else queue.SEND_NOTICE
        if not queue.ring(lib.valkey, job, each.id):
            return
