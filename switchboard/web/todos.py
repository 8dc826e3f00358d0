"""The todos by state, and one todo's folded story."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.todos import leases, views
from switchboard.web import story
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.session import operator


@pages.get("/todos")
def todos() -> ResponseReturnValue:
    """The board: one state at a time, or all, newest first."""
    state = request.args.get("state") or None
    after = request.args.get("after") or None
    page = views.board(plumbing(), operator(), state=state, after=after)
    older = url_for("pages.todos", state=state, after=page.next) if page.next else None
    return render_template(
        "todos.html",
        todos=page.todos,
        counts=views.counts(plumbing(), operator()),
        state=state,
        after=after,
        older=older,
    )


@pages.get("/todos/<todo_id>")
def todo(todo_id: str) -> ResponseReturnValue:
    """One todo: delivery, todo, attempts, replies."""
    found = views.get_as_operator(plumbing(), operator(), todo_id)
    return render_template("todo.html", todo=found, story=story.tell(found))


@pages.post("/todos/<todo_id>/retry")
def retry_todo(todo_id: str) -> ResponseReturnValue:
    """Put a failed or waiting todo back on its queue."""
    leases.retry(plumbing(), operator(), todo_id)
    flash("It is back on its queue, with all its attempts before it again.")
    return redirect(url_for("pages.todo", todo_id=todo_id))
