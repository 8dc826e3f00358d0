"""The todos by state, and one todo's folded story."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.errors import Problem
from switchboard.lib.paging import MAX_LIMIT
from switchboard.threads import comments
from switchboard.todos import leases, views
from switchboard.web import story
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.session import operator
from switchboard.web.thread_forms import CommentForm


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
    return _show(todo_id, CommentForm(formdata=None))


def _show(todo_id: str, form: CommentForm) -> str:
    """The todo's page, with what was said on it and the form to say more."""
    found = views.get_as_operator(plumbing(), operator(), todo_id)
    return render_template(
        "todo.html",
        todo=found,
        story=story.tell(found),
        said=comments.of_todo(plumbing(), operator(), todo_id, limit=MAX_LIMIT),
        form=form,
        may_comment=comments.TODO_LETTER in operator().letters,
    )


@pages.post("/todos/<todo_id>/comments")
def comment_on_todo(todo_id: str) -> ResponseReturnValue:
    """Say something on a todo, or on the ticket it stands for."""
    form = CommentForm()
    if form.validate():
        try:
            made = comments.add_on_todo(plumbing(), operator(), todo_id, form.body.data, via="page")
        except Problem as problem:
            beside_field(form, problem)
        else:
            return redirect(url_for("pages.todo", todo_id=todo_id, _anchor=made["id"]))
    return _show(todo_id, form), 422


@pages.get("/todos/<todo_id>/comments")
def todo_comments(todo_id: str) -> ResponseReturnValue:
    """Where the address of the form leads when it is opened by hand."""
    return redirect(url_for("pages.todo", todo_id=todo_id))


@pages.post("/todos/<todo_id>/retry")
def retry_todo(todo_id: str) -> ResponseReturnValue:
    """Put a failed or waiting todo back on its queue."""
    leases.retry(plumbing(), operator(), todo_id)
    flash("It is back on its queue, with all its attempts before it again.")
    return redirect(url_for("pages.todo", todo_id=todo_id))
