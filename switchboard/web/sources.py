"""The sources: who may write in. Add one by kind, look at one beside its log, change and end it."""

from __future__ import annotations

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.errors import NotFound, Problem
from switchboard.inbound import activity, source_changes, source_views
from switchboard.inbound import sources as book
from switchboard.web import log, spark
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.forms import one_a_line
from switchboard.web.session import operator
from switchboard.web.shelves import live_endpoints, without_target
from switchboard.web.source_forms import RotateForm, RulesForm, SourceForm, new_form, rules_form

STATES = {"pause": "paused", "resume": "active", "revoke": "revoked"}
SAID = {
    "pause": "{} is paused: it takes nothing until it is resumed.",
    "resume": "{} takes deliveries again.",
    "revoke": "{} is revoked: its address answers nobody any more.",
}


@pages.get("/settings/sources")
def sources() -> ResponseReturnValue:
    """The sources and the form for one more."""
    return _show_all(new_form())


def _show_all(form: SourceForm) -> str:
    every = source_views.in_view(plumbing(), operator())
    live = live_endpoints()
    return render_template(
        "sources.html",
        sources=every,
        sparks=_sparks([each["id"] for each in every]),
        untargeted={each["id"] for each in every if without_target(each, live)},
        form=form,
    )


def _sparks(source_ids: list[str]) -> dict[str, spark.Spark]:
    hours = activity.of_sources(plumbing(), source_ids)
    return {source_id: spark.draw(found) for source_id, found in hours.items()}


@pages.post("/settings/sources")
def add_source() -> ResponseReturnValue:
    """Add a source; its secret stands in this answer only."""
    form = new_form(request.form)
    if form.validate():
        new = book.NewSource(
            kind=form.kind.data,
            name=form.name.data,
            owner=form.owner.data or None,
            host=form.host.data or "",
            repos=one_a_line(form.repos.data),
            letters="".join(form.letters.data or []),
            secret=form.secret.data or None,
            to=form.to.data or [],
        )
        try:
            added = book.add(plumbing(), operator(), new)
        except Problem as problem:
            beside_field(form, problem, "letters" if problem.letter else None)
        else:
            return _show_secret(added, made_here=not form.secret.data, new=True)
    return _show_all(form), 422


def _show_secret(added: book.Added, *, made_here: bool, new: bool) -> ResponseReturnValue:
    page = render_template(
        "source_secret.html",
        source=added.source,
        secret=added.secret if made_here else None,
        new=new,
        overlap_minutes=round(plumbing().settings["ROTATION_OVERLAP_SECONDS"] / 60),
    )
    return page, 201 if new else 200


@pages.get("/settings/sources/<source_id>")
def source(source_id: str) -> ResponseReturnValue:
    """One source beside its log."""
    return _show(_one(source_id))


def _one(source_id: str) -> dict[str, Any]:
    for each in source_views.in_view(plumbing(), operator()):
        if each["id"] == source_id:
            return each
    raise NotFound("There is no such source.")


def _show(found: dict[str, Any], rules: RulesForm | None = None, rotate: Any = None) -> str:
    return render_template(
        "source.html",
        source=found,
        untargeted=without_target(found, live_endpoints()),
        rules=rules or rules_form(found),
        rotate=rotate or RotateForm(formdata=None),
        opened="rules" if rules else "secret" if rotate else None,
        panel=log.panel({"source": found["id"]}),
    )


@pages.get("/settings/sources/<source_id>/<any(rules, secret, pause, resume, revoke):_act>")
def source_act(source_id: str, _act: str) -> ResponseReturnValue:
    """Where an address of the forms below leads when it is opened by hand."""
    return redirect(url_for("pages.source", source_id=source_id))


@pages.post("/settings/sources/<source_id>/rules")
def edit_source(source_id: str) -> ResponseReturnValue:
    """Change targets, pins and letters."""
    found = _one(source_id)
    form = rules_form(found, request.form)
    if form.validate():
        changes = {
            "to": form.to.data or [],
            "repos": one_a_line(form.repos.data),
            "letters": "".join(form.letters.data or []),
        }
        try:
            source_changes.edit(plumbing(), operator(), source_id, changes)
        except Problem as problem:
            beside_field(form, problem, "letters" if problem.letter else None)
        else:
            flash("The source is changed; the next delivery meets the new rules.")
            return _back_to(source_id)
    return _show(found, rules=form), 422


@pages.post("/settings/sources/<source_id>/secret")
def rotate_source(source_id: str) -> ResponseReturnValue:
    """Give it a new secret, which stands in this answer only."""
    found = _one(source_id)
    form = RotateForm()
    if form.validate():
        given = form.secret.data or None
        try:
            added = source_changes.rotate(plumbing(), operator(), source_id, given)
        except Problem as problem:
            beside_field(form, problem)
        else:
            return _show_secret(added, made_here=given is None, new=False)
    return _show(found, rotate=form), 422


@pages.post("/settings/sources/<source_id>/<any(pause, resume, revoke):act>")
def set_source_state(source_id: str, act: str) -> ResponseReturnValue:
    """Pause, resume or end a source."""
    name = _one(source_id)["name"]
    source_changes.set_state(plumbing(), operator(), source_id, STATES[act])
    flash(SAID[act].format(name))
    return redirect(url_for("pages.sources")) if act == "revoke" else _back_to(source_id)


def _back_to(source_id: str) -> ResponseReturnValue:
    return redirect(url_for("pages.source", source_id=source_id))
