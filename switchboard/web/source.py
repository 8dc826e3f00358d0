"""One source beside its log: its state, what it may do, its secret, its end."""

from __future__ import annotations

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.attention.sources import without_target
from switchboard.errors import Problem
from switchboard.faults import book as faults
from switchboard.inbound import source_changes, source_views
from switchboard.web import log
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.forms import one_a_line
from switchboard.web.session import operator
from switchboard.web.shelves import live_endpoints
from switchboard.web.source_forms import RotateForm, grant_fields, grants_form, rules_form
from switchboard.web.sources import show_secret

STATES = {"pause": "paused", "resume": "active", "revoke": "revoked"}
SAID = {
    "pause": "{} is paused: it takes nothing until it is resumed.",
    "resume": "{} takes deliveries again.",
    "revoke": "{} is revoked: its address answers nobody any more.",
}


@pages.get("/settings/sources/<source_id>")
def source(source_id: str) -> ResponseReturnValue:
    """One source beside its log."""
    return show(the_one(source_id))


def the_one(source_id: str) -> dict[str, Any]:
    """The source of that id in the operator's view. Raises NotFound."""
    return source_views.one(plumbing(), operator(), source_id)


def show(found: dict[str, Any], *, opened: str | None = None, **given: Any) -> str:
    """The page; `given` replaces forms that were sent, and adds results. `opened` names a part."""
    standing = faults.in_view(plumbing(), operator(), state="standing", about=found["id"])
    parts = {
        "grants": grants_form(found),
        "rules": rules_form(found["rules"]),
        "rotate": RotateForm(formdata=None),
        "tested": None,
        "dry_run": None,
        **given,
    }
    return render_template(
        "source.html",
        source=found,
        faults=standing.faults,
        untargeted=without_target(found, live_endpoints()),
        fields=grant_fields(found["kind"]),
        opened=opened,
        panel=log.panel({"source": found["id"]}),
        **parts,
    )


@pages.get(
    "/settings/sources/<source_id>/<any(grants, rules, test, secret, pause, resume, revoke):_act>"
)
def source_act(source_id: str, _act: str) -> ResponseReturnValue:
    """Where an address of the forms below leads when it is opened by hand."""
    return back_to(source_id)


@pages.post("/settings/sources/<source_id>/grants")
def edit_source(source_id: str) -> ResponseReturnValue:
    """Change targets, pins and letters."""
    found = the_one(source_id)
    form = grants_form(found, request.form)
    if form.validate():
        sent = {
            "to": form.to.data or [],
            "host": form.host.data or "",
            "repos": one_a_line(form.repos.data),
            "letters": "".join(form.letters.data or []),
            "red_opens_todo": form.red_opens_todo.data,
        }
        changes = {name: sent[name] for name in grant_fields(found["kind"])}
        try:
            source_changes.edit(plumbing(), operator(), source_id, changes)
        except Problem as problem:
            beside_field(form, problem, "letters" if problem.letter else None)
        else:
            flash("The source is changed; its next delivery meets what stands here now.")
            return back_to(source_id)
    return show(found, grants=form, opened="grants"), 422


@pages.post("/settings/sources/<source_id>/secret")
def rotate_source(source_id: str) -> ResponseReturnValue:
    """Give it a new secret, which stands in this answer only."""
    found = the_one(source_id)
    form = RotateForm()
    if form.validate():
        given = form.secret.data or None
        try:
            added = source_changes.rotate(plumbing(), operator(), source_id, given)
        except Problem as problem:
            beside_field(form, problem)
        else:
            return show_secret(added, made_here=given is None, new=False)
    return show(found, rotate=form, opened="secret"), 422


@pages.post("/settings/sources/<source_id>/<any(pause, resume, revoke):act>")
def set_source_state(source_id: str, act: str) -> ResponseReturnValue:
    """Pause, resume or end a source."""
    name = the_one(source_id)["name"]
    source_changes.set_state(plumbing(), operator(), source_id, STATES[act])
    flash(SAID[act].format(name))
    return redirect(url_for("pages.sources")) if act == "revoke" else back_to(source_id)


def back_to(source_id: str) -> ResponseReturnValue:
    """The way back to the source's page after a change."""
    return redirect(url_for("pages.source", source_id=source_id))
