"""The sources: who may write in. Their list with each one's day, and the form for one more."""

from __future__ import annotations

from flask import render_template, request
from flask.typing import ResponseReturnValue

from switchboard.attention.sources import without_target
from switchboard.errors import Problem
from switchboard.inbound import activity, source_views
from switchboard.inbound import sources as book
from switchboard.web import spark
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.forms import one_a_line
from switchboard.web.session import operator
from switchboard.web.shelves import live_endpoints
from switchboard.web.source_forms import SourceForm, new_form, proves_nothing, shown_fields


@pages.get("/settings/sources")
def sources() -> ResponseReturnValue:
    """The sources and the form for one more, of the kind that `?kind=` says."""
    return _show_all(new_form(request.args.get("kind")), opened="kind" in request.args)


def _show_all(form: SourceForm, *, opened: bool = False) -> str:
    every = source_views.in_view(plumbing(), operator())
    live = live_endpoints()
    days = activity.of_sources(plumbing(), [each["id"] for each in every])
    return render_template(
        "sources.html",
        sources=every,
        sparks={source_id: spark.draw(hours) for source_id, hours in days.items()},
        untargeted={each["id"] for each in every if without_target(each, live)},
        form=form,
        fields=shown_fields(form.kind.data or ""),
        unproved=proves_nothing(form.kind.data or ""),
        opened=opened,
    )


@pages.post("/settings/sources")
def add_source() -> ResponseReturnValue:
    """Add a source; its secret stands in this answer only."""
    form = new_form(formdata=request.form)
    if form.validate():
        try:
            added = book.add(plumbing(), operator(), _wanted(form))
        except Problem as problem:
            beside_field(form, problem, "letters" if problem.letter else None)
        else:
            return show_secret(added, made_here=not form.secret.data, new=True)
    return _show_all(form), 422


def _wanted(form: SourceForm) -> book.NewSource:
    return book.NewSource(
        kind=form.kind.data,
        name=form.name.data,
        owner=form.owner.data or None,
        host=form.host.data or "",
        repos=one_a_line(form.repos.data),
        letters="".join(form.letters.data or []),
        secret=form.secret.data or None,
        to=form.to.data or [],
        repo=form.repo.data or None,
        red_opens_todo=form.red_opens_todo.data,
    )


def show_secret(added: book.Added, *, made_here: bool, new: bool) -> ResponseReturnValue:
    """The page after adding or rotating, the only one that shows a secret made here."""
    page = render_template(
        "source_secret.html",
        source=added.source,
        secret=added.secret if made_here else None,
        new=new,
        overlap_minutes=round(plumbing().settings["ROTATION_OVERLAP_SECONDS"] / 60),
    )
    return page, 201 if new else 200
