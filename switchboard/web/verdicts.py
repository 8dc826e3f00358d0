"""What CI says of commits: the newest verdict of each check, under its commit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.threads import repos
from switchboard.threads import verdicts as book
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.forms import query
from switchboard.web.session import operator

FILTERS = ("repo", "commit")
# the word for all of a commit's checks is that of the first of these that one of them has
WORST_FIRST = ("failure", "error", "cancelled", "running", "queued", "success")


@dataclass(frozen=True)
class Commit:
    """A commit's checks, the newest first."""

    repo: str
    sha: str
    checks: list[dict[str, Any]]

    @property
    def word(self) -> str:
        """The state of the worst of them."""
        found = {check["state"] for check in self.checks}
        return next(state for state in WORST_FIRST if state in found)


def by_commit(verdicts: Iterable[dict[str, Any]]) -> list[Commit]:
    """Verdicts, newest first, under their commits, the one that was reported on last first."""
    found: dict[tuple[str, str], Commit] = {}
    for verdict in verdicts:
        place = verdict["repo"], verdict["commit"]
        found.setdefault(place, Commit(*place, [])).checks.append(verdict)
    return list(found.values())


@pages.get("/verdicts")
def verdicts() -> ResponseReturnValue:
    """All of them, by repo and the beginning of a commit."""
    given = query((*FILTERS, "after"))
    if any(value == "" for value in request.args.values()):
        return redirect(url_for("pages.verdicts", **given))  # a form names what it leaves out
    wanted: dict[str, Any] = query(FILTERS)
    page = book.search(plumbing(), operator(), **wanted, after=given.get("after"), limit=100)
    return render_template(
        "verdicts.html",
        commits=by_commit(page.verdicts),
        older=url_for("pages.verdicts", **wanted, after=page.next) if page.next else None,
        after=given.get("after"),
        filters=wanted,
        repos=repos.in_view(plumbing(), operator()),
    )
