"""A thread as JSON: a line of a list, or whole with its comments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from switchboard.access import owners
from switchboard.access.principals import Operator
from switchboard.errors import Invalid
from switchboard.lib import clock
from switchboard.lib.paging import MAX_LIMIT
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Thread
from switchboard.threads import comments, refs, repos, store
from switchboard.threads.people import Names

STATES = tuple(store.STATES)


@dataclass(frozen=True)
class Page:
    """Threads, newest first, and the `after` of the next page (None: there is none)."""

    threads: list[dict[str, Any]]
    next: str | None


@dataclass(frozen=True)
class Filters:
    """What a list is narrowed to; `ref` is a work item ref, `state` one of STATES."""

    repo: str | None = None
    kind: str | None = None
    state: str | None = None
    ref: str | None = None


def search(
    lib: Plumbing,
    operator: Operator,
    filters: Filters = Filters(),
    *,
    after: str | None = None,
    limit: int = 50,
) -> Page:
    """The threads in the operator's view. Raises Invalid for an unknown kind or state, NotFound."""
    _check(filters)
    kind, repo, number = filters.kind, filters.repo, None
    if filters.ref is not None:
        ref_kind, repo, number = refs.parse(filters.ref)
        kind = kind or ref_kind
    size = max(1, min(limit, MAX_LIMIT))
    with lib.db.read() as session:
        found = store.search(
            session,
            repos.ids_meant(session, operator, repo),
            number=number,
            kind=kind,
            state=filters.state,
            after=after,
            limit=size + 1,
        )
        shown = _describe(session, found[:size])
    return Page(shown, shown[-1]["id"] if len(found) > size else None)


def _check(filters: Filters) -> None:
    for name, known in (("kind", refs.KINDS), ("state", STATES)):
        value = getattr(filters, name)
        if value is not None and value not in known:
            raise Invalid(f"A {name} is one of {', '.join(known)}.", field=name)


def _describe(session: Session, rows: list[tuple[Thread, str]]) -> list[dict[str, Any]]:
    threads = [thread for thread, _ in rows]
    names = Names(session, threads)
    counts = store.comment_counts(session, [thread.id for thread in threads])
    labels = owners.labels_of(session, {thread.owner_id for thread in threads})
    return [
        {
            "id": thread.id,
            "ref": refs.ref(thread.kind, repo, thread.number),
            "repo": repo,
            "number": thread.number,
            "kind": thread.kind,
            "title": thread.title,
            "labels": thread.labels,
            "state": "closed" if thread.closed_at else "open",
            "owner": labels.get(thread.owner_id),
            "author": names.author(thread),
            "via": thread.via,
            "delivery": names.delivery(thread),
            "mirror_of": thread.mirror_of,
            "adopted_by": names.adopter(thread),
            "adopted_at": clock.iso(thread.adopted_at),
            "comment_count": counts.get(thread.id, 0),
            "created_at": clock.iso(thread.created_at),
            "commented_at": clock.iso(thread.commented_at),
            "closed_at": clock.iso(thread.closed_at),
        }
        for thread, repo in rows
    ]


def get(
    lib: Plumbing,
    operator: Operator,
    ref: str,
    *,
    after: str | None = None,
    limit: int = MAX_LIMIT,
) -> dict[str, Any]:
    """One thread by id or ref, with body, todos and a page of its comments. Raises NotFound.

    `comments` are oldest first, `next` is the `after` of their next page.
    """
    with lib.db.read() as session:
        thread, repo = refs.find(session, operator, ref)
        page = comments.page_of(session, thread_id=thread.id, after=after, limit=limit)
        return _describe(session, [(thread, repo)])[0] | {
            "body": thread.body,
            "todos": [
                {"id": todo_id, "state": state, "endpoint": endpoint}
                for todo_id, state, endpoint in store.todos_of(session, thread.id)
            ],
            "comments": page.comments,
            "next": page.next,
        }
