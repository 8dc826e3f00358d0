"""Who wrote or adopted, an account, a source or an endpoint by its name; and by which delivery."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from switchboard.models import Comment, Thread, Verdict
from switchboard.threads import people_store

WORDS = ("account", "source", "endpoint")
PREFIXES = ("author_", "adopted_by_", "")  # of the columns that name one
Label = dict[str, str] | None
Row = Thread | Comment | Verdict


class Names:
    """The names of whoever stands in some rows, and which of their deliveries are kept, read at once."""

    def __init__(self, session: Session, rows: Sequence[Row]) -> None:
        wanted: dict[str, set[str]] = {word: set() for word in WORDS}
        for row in rows:
            for prefix in PREFIXES:
                for word, row_id in _ids(row, prefix).items():
                    wanted[word].add(row_id)
        self._names = people_store.names(session, wanted)
        deliveries = {row.delivery_id for row in rows if row.delivery_id}
        self._kept = people_store.kept_deliveries(session, deliveries) if deliveries else set()

    def author(self, row: Thread | Comment) -> Label:
        """Such as `{"account": "ana"}`; None: somebody at the command line."""
        return self._label(row, "author_")

    def adopter(self, thread: Thread) -> Label:
        """The same of whoever adopted a ticket; None also for nobody."""
        return self._label(thread, "adopted_by_")

    def source(self, verdict: Verdict) -> str | None:
        """The name of the source that reported a verdict."""
        return (self._label(verdict, "") or {}).get("source")

    def delivery(self, row: Row) -> str | None:
        """The delivery that brought it, while that is kept."""
        return row.delivery_id if row.delivery_id in self._kept else None

    def _label(self, row: Any, prefix: str) -> Label:
        for word, row_id in _ids(row, prefix).items():
            return {word: self._names.get(row_id, row_id)}
        return None


def _ids(row: Any, prefix: str) -> dict[str, str]:
    found = {word: getattr(row, f"{prefix}{word}_id", None) for word in WORDS}
    return {word: row_id for word, row_id in found.items() if row_id}
