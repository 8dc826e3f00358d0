"""Tickets, forum threads, landings: find one, open one, talk on it, adopt it, close it."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.errors import Problem
from switchboard.threads import comments, opening, refs, repos, states, verdicts, views
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.forms import query
from switchboard.web.session import operator
from switchboard.web.thread_forms import CommentForm, OpenForm, new_thread, open_form
from switchboard.web.verdicts import by_commit

VIA = "page"
FILTERS = ("repo", "kind", "state")
BESIDE = 100  # verdicts under a repo's threads
ACTS = {"adopt": states.adopt, "close": states.close, "reopen": states.reopen}
SAID = {
    "adopt": "{} is yours now.",
    "close": "{} is closed; it can still be commented on.",
    "reopen": "{} is open again.",
}


@pages.get("/threads")
def threads() -> ResponseReturnValue:
    """The threads, newest first; of one repo with what CI says of its commits."""
    if any(value == "" for value in request.args.values()):
        # a form names what it leaves out
        return redirect(url_for("pages.threads", **query((*FILTERS, "after"))))
    return _show_all(open_form(repo=request.args.get("repo")))


def _show_all(form: OpenForm) -> str:
    filters = query(FILTERS)
    after, repo = request.args.get("after") or None, filters.get("repo")
    page = views.search(plumbing(), operator(), views.Filters(**filters), after=after)
    found = verdicts.search(plumbing(), operator(), repo=repo, limit=BESIDE) if repo else None
    return render_template(
        "threads.html",
        threads=page.threads,
        older=url_for("pages.threads", **filters, after=page.next) if page.next else None,
        after=after,
        filters=filters,
        repos=repos.in_view(plumbing(), operator()),
        kinds=refs.KINDS,
        states=views.STATES,
        commits=by_commit(found.verdicts) if found else None,
        form=form,
    )


@pages.post("/threads")
def open_thread() -> ResponseReturnValue:
    """Open one."""
    form = open_form(request.form)
    if form.validate():
        try:
            made = opening.open_thread(plumbing(), operator(), new_thread(form), via=VIA)
        except Problem as problem:
            beside_field(form, problem, "kind" if problem.letter else None)
        else:
            flash(f"{made['ref']} is open.")
            return redirect(url_for("pages.thread", thread_id=made["id"]))
    return _show_all(form), 422


@pages.get("/threads/<thread_id>")
def thread(thread_id: str) -> ResponseReturnValue:
    """One thread and what was said on it."""
    return _show(thread_id, CommentForm(formdata=None))


def _show(thread_id: str, form: CommentForm) -> str:
    after = request.args.get("after") or None
    found = views.get(plumbing(), operator(), thread_id, after=after)
    later = url_for("pages.thread", thread_id=thread_id, after=found["next"])
    return render_template(
        "thread.html",
        thread=found,
        after=after,
        later=later if found["next"] else None,
        letter=comments.LETTER[found["kind"]],
        may_write=comments.LETTER[found["kind"]] in operator().letters,
        form=form,
    )


@pages.post("/threads/<thread_id>/comments")
def comment_on_thread(thread_id: str) -> ResponseReturnValue:
    """Say something."""
    form = CommentForm()
    if form.validate():
        try:
            made = comments.add(plumbing(), operator(), thread_id, form.body.data, via=VIA)
        except Problem as problem:
            beside_field(form, problem)
        else:
            return redirect(url_for("pages.thread", thread_id=thread_id, _anchor=made["id"]))
    return _show(thread_id, form), 422


@pages.post("/threads/<thread_id>/<any(adopt, close, reopen):act>")
def act_on_thread(thread_id: str, act: str) -> ResponseReturnValue:
    """Adopt, close or reopen one."""
    done = ACTS[act](plumbing(), operator(), thread_id)
    flash(SAID[act].format(done["ref"]))
    return redirect(url_for("pages.thread", thread_id=thread_id))


@pages.get("/threads/<thread_id>/<any(comments, adopt, close, reopen):_act>")
def thread_act(thread_id: str, _act: str) -> ResponseReturnValue:
    """Where an address of the forms leads when it is opened by hand."""
    return redirect(url_for("pages.thread", thread_id=thread_id))
