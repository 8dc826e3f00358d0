"""The delivery log as pages show it: one panel, its runs of equal outcomes folded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from flask import url_for

from switchboard.errors import Unavailable
from switchboard.inbound import deliveries
from switchboard.web import shelves
from switchboard.web.blueprint import plumbing
from switchboard.web.session import operator

BESIDE = 40  # lines where the log stands beside something else
WHOLE = 100
PAGES_AT_MOST = 4


@dataclass(frozen=True)
class Run:
    """Adjacent deliveries of one outcome, newest first."""

    rows: list[dict[str, Any]]

    @property
    def newest(self) -> dict[str, Any]:
        """The one whose line stands for all."""
        return self.rows[0]

    @property
    def count(self) -> int:
        """How many requests it stands for, floods that were folded when recorded included."""
        return sum(row["count"] for row in self.rows)

    @property
    def word(self) -> str:
        """The state's word: what was taken and came to nothing on purpose is `dropped`."""
        return word_of(self.newest)


@dataclass(frozen=True)
class Panel:
    """One showing of the log.

    `filters` name what it is limited to, `named` the same for people, `newest` says whether it begins
    at the newest row, `poll` is the address of its fragment (None: it stands still), `older` that of
    the page after it. `broken` is the sentence of a failed read.
    """

    runs: list[Run]
    filters: Mapping[str, Any] = field(default_factory=dict)
    newest: bool = True
    poll: str | None = None
    older: str | None = None
    broken: str | None = None
    named: Mapping[str, Any] = field(default_factory=dict)

    @property
    def preset(self) -> bool:
        """Whether it shows all of one source or kind, as a log beside something does."""
        return bool(self.filters) and set(self.filters) <= {"source", "kind"}


def word_of(row: Mapping[str, Any]) -> str:
    """A delivery's state as a word."""
    return "dropped" if row["outcome"].get("dropped") else str(row["status"])


def fold(rows: Iterable[dict[str, Any]]) -> list[Run]:
    """Rows, newest first, as runs of the same source, status, code and event."""

    def outcome(row: dict[str, Any]) -> tuple[Any, ...]:
        return row["source_id"], row["kind"], row["status"], row["code"], row["event_type"]

    return [Run(list(run)) for _, run in groupby(rows, outcome)]


def panel(
    filters: Mapping[str, Any] | None = None, *, after: str | None = None, lines: int = BESIDE
) -> Panel:
    """About `lines` lines of the log in the operator's view. Raises Invalid for an unknown filter."""
    wanted = {name: value for name, value in (filters or {}).items() if value}
    newest = not after
    # a search looks through thousands of rows: once when somebody asks, not every few seconds
    still = after or wanted.get("text")
    poll = None if still else url_for("pages.log_fragment", lines=lines, **wanted)
    try:
        rows, next_after = _read(wanted, after, lines)
    except Unavailable as problem:
        return Panel([], wanted, newest, poll, broken=problem.detail)
    older = url_for("pages.deliveries", after=next_after, **wanted) if next_after else None
    return Panel(fold(rows), wanted, newest, poll, older, named=_for_people(wanted))


def _for_people(filters: Mapping[str, Any]) -> dict[str, Any]:
    """The filters with a source's name where they have its id."""
    if "source" not in filters:
        return dict(filters)
    return {**filters, "source": shelves.source_name(filters["source"])}


def _read(
    wanted: Mapping[str, Any], after: str | None, lines: int
) -> tuple[list[dict[str, Any]], str | None]:
    """Rows for that many lines: a flood folds into one, so a page of rows may not be enough.

    A search for a text costs more, and its page is what one search finds.
    """
    rows: list[dict[str, Any]] = []
    for _ in range(1 if "text" in wanted else PAGES_AT_MOST):
        page = deliveries.search(plumbing(), operator(), wanted, after=after, limit=lines)
        rows += page.deliveries
        after = page.next
        if after is None or len(fold(rows)) >= lines // 2:
            break
    return rows, after
