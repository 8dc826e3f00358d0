"""The sinks: where an owner is told of things; add, subscribe, test, delete."""

from __future__ import annotations

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.errors import NotFound, Problem
from switchboard.sinks import given
from switchboard.sinks import sinks as vertical
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.session import operator
from switchboard.web.sink_forms import (
    SinkForm,
    events_form,
    fields,
    labels,
    new_form,
    owner_of,
)


@pages.get("/settings/sinks")
def sinks() -> ResponseReturnValue:
    """The sinks, and the form for one more of the kind that `?kind=` says."""
    return _show(new_form(request.args.get("kind")), adding="kind" in request.args)


@pages.post("/settings/sinks")
def add_sink() -> ResponseReturnValue:
    """Keep a sink."""
    form = new_form(formdata=request.form)
    if form.validate():
        by_mail = form.kind.data == given.EMAIL
        new = vertical.NewSink(
            kind=form.kind.data,
            name=form.name.data,
            owner=owner_of(form),
            address=form.address.data if by_mail else None,
            connection=None if by_mail else form.connection.data,
            events=form.events.data or [],
        )
        try:
            made = vertical.add(plumbing(), operator(), new)
        except Problem as problem:
            beside_field(form, problem)
        else:
            flash(f"The sink {made['name']} is kept. Send a test now.")
            return _back_to(made["id"])
    return _show(form, adding=True), 422


def _show(
    form: SinkForm, *, adding: bool = False, opened: str | None = None, edited: Any = None
) -> str:
    """The page; `opened` is the sink whose form came back with errors."""
    every = vertical.in_view(plumbing(), operator())
    edits = {each["id"]: events_form(each) for each in every}
    if opened and edited:
        edits[opened] = edited
    settings = plumbing().settings
    return render_template(
        "sinks.html",
        sinks=every,
        managed=vertical.managed(plumbing(), operator()),
        labels=labels(),
        form=form,
        fields=fields(form.kind.data),
        lacks_connection=form.kind.data != given.EMAIL and not form.connection.choices,
        kind=form.kind.data,
        adding=adding or not every,
        edits=edits,
        opened=opened,
        sends_mail=settings["SMTP_URL"] is not None,
        inbound_domain=settings["INBOUND_DOMAIN"],
    )


def _one(sink_id: str) -> dict[str, Any]:
    for each in vertical.in_view(plumbing(), operator()):
        if each["id"] == sink_id:
            return each
    raise NotFound("There is no such sink.")


def _back_to(sink_id: str) -> ResponseReturnValue:
    return redirect(url_for("pages.sinks", _anchor=sink_id))


@pages.get("/settings/sinks/<sink_id>/<any(edit, test, delete):_act>")
def sink_act(sink_id: str, _act: str) -> ResponseReturnValue:
    """Where an address of the forms below leads when it is opened by hand."""
    return _back_to(_one(sink_id)["id"])


@pages.post("/settings/sinks/<sink_id>/edit")
def edit_sink(sink_id: str) -> ResponseReturnValue:
    """Change what a sink tells of."""
    form = events_form(_one(sink_id), request.form)
    if form.validate():
        try:
            vertical.subscribe(plumbing(), operator(), sink_id, form.events.data or [])
        except Problem as problem:
            beside_field(form, problem)
        else:
            flash("The sink is changed.")
            return _back_to(sink_id)
    return _show(new_form(), opened=sink_id, edited=form), 422


@pages.post("/settings/sinks/<sink_id>/test")
def test_sink(sink_id: str) -> ResponseReturnValue:
    """Send one message through it now."""
    result = vertical.test(plumbing(), operator(), sink_id)
    if result["ok"]:
        flash(f"It took the message{' to ' + result['to'] if result['to'] else ''}.")
    else:
        cause = " ".join(part for part in (result["class"], result["code"]) if part)
        flash(f"The test failed: {cause}.", "bad")
    return _back_to(sink_id)


@pages.post("/settings/sinks/<sink_id>/delete")
def delete_sink(sink_id: str) -> ResponseReturnValue:
    """Forget the sink and what waits in it."""
    name = _one(sink_id)["name"]
    vertical.delete(plumbing(), operator(), sink_id)
    flash(f"The sink {name} is gone.")
    return redirect(url_for("pages.sinks"))
