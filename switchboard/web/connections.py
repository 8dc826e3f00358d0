"""The connections beside the log: add, test, rotate, edit, delete."""

from __future__ import annotations

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.attention.connections import closed
from switchboard.errors import NotFound, Problem
from switchboard.providers import connection_kinds, source_kinds
from switchboard.vault import connections as vault
from switchboard.vault import testing
from switchboard.web import log
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.connection_forms import (
    ConnectionForm,
    limit_fields,
    limits_form,
    new_form,
    secret_form,
    shown_fields,
)
from switchboard.web.errors import beside_field
from switchboard.web.session import operator


@pages.get("/settings/connections")
def connections() -> ResponseReturnValue:
    """The connections, the form for one more of the kind that `?kind=` says, its log beside them."""
    return _show(new_form(request.args.get("kind")), adding="kind" in request.args)


@pages.post("/settings/connections")
def add_connection() -> ResponseReturnValue:
    """Seal and keep a credential."""
    form = new_form(formdata=request.form)
    if form.validate():
        new = vault.NewConnection(
            kind=form.kind.data,
            account_key=form.account_key.data,
            secret=form.secret.data,
            owner=form.owner.data or None,
            **form.changes(),
        )
        try:
            made = vault.add(plumbing(), operator(), new)
        except Problem as problem:
            beside_field(form, problem)
        else:
            flash(
                f"The connection {made['name']} is kept. Test it now: it makes one harmless read."
            )
            return _back_to(made["id"])
    return _show(form, adding=True), 422


def _show(
    form: ConnectionForm,
    *,
    adding: bool = False,
    opened: str | None = None,
    edited: Any = None,
    rotated: Any = None,
) -> str:
    """The page; `adding` where a kind was chosen for one more, `opened` the connection whose form
    came back with errors.
    """
    every = vault.in_view(plumbing(), operator())
    labels = {kind: each.label for kind, each in connection_kinds(plumbing().settings).items()}
    kind = form.kind.data if form.kind.data in labels else next(iter(labels))
    beside = _kind_beside(kind if adding else None, every)
    edits = {each["id"]: limits_form(each) for each in every}
    secrets = {each["id"]: secret_form(each["id"]) for each in every}
    if opened and edited:
        edits[opened] = edited
    if opened and rotated:
        secrets[opened] = rotated
    return render_template(
        "connections.html",
        connections=every,
        managed=vault.managed(plumbing(), operator()),
        closed={each["id"] for each in every if closed(each)},
        labels=labels,
        form=form,
        fields=shown_fields(kind),
        limits={each["id"]: limit_fields(each["kind"]) for each in every},
        adding=adding or not every,
        edits=edits,
        secrets=secrets,
        opened=opened,
        panel=log.panel({"kind": beside}),
        kind_label=labels.get(beside),
    )


def _kind_beside(chosen: str | None, every: list[dict[str, Any]]) -> str:
    """The kind whose deliveries stand beside: the chosen one's, else the first connection's.

    "" is all of them, as nothing arrives from a sink.
    """
    writes_in = source_kinds(plumbing().settings)
    held = [each["kind"] for each in every if each["kind"] in writes_in]
    wanted = chosen or next(iter([*held, *writes_in]))
    return wanted if wanted in writes_in else ""


def _one(connection_id: str) -> dict[str, Any]:
    for each in vault.in_view(plumbing(), operator()):
        if each["id"] == connection_id:
            return each
    raise NotFound("There is no such connection.")


def _back_to(connection_id: str) -> ResponseReturnValue:
    return redirect(url_for("pages.connections", _anchor=connection_id))


@pages.get("/settings/connections/<connection_id>/<any(edit, secret, test, delete):_act>")
def connection_act(connection_id: str, _act: str) -> ResponseReturnValue:
    """Where an address of the forms below leads when it is opened by hand."""
    return _back_to(_one(connection_id)["id"])


@pages.post("/settings/connections/<connection_id>/edit")
def edit_connection(connection_id: str) -> ResponseReturnValue:
    """Change name, allowlists or signature."""
    form = limits_form(_one(connection_id), request.form)
    if form.validate():
        try:
            vault.edit(plumbing(), operator(), connection_id, form.changes())
        except Problem as problem:
            beside_field(form, problem)
        else:
            flash("The connection is changed.")
            return _back_to(connection_id)
    return _show(new_form(), opened=connection_id, edited=form), 422


@pages.post("/settings/connections/<connection_id>/secret")
def rotate_connection(connection_id: str) -> ResponseReturnValue:
    """Replace the credential."""
    form = secret_form(connection_id, request.form)
    if form.validate():
        try:
            vault.rotate(plumbing(), operator(), connection_id, form.secret.data)
        except Problem as problem:
            beside_field(form, problem)
        else:
            flash("The new token is sealed and the old one is gone. Test it now.")
            return _back_to(connection_id)
    return _show(new_form(), opened=_one(connection_id)["id"], rotated=form), 422


@pages.post("/settings/connections/<connection_id>/test")
def test_connection(connection_id: str) -> ResponseReturnValue:
    """One harmless authenticated read."""
    result = testing.test(plumbing(), operator(), connection_id)
    if result["ok"]:
        flash(f"It works: the token belongs to {result['identity'] or 'an account unnamed'}.")
    else:
        cause = " ".join(part for part in (result["class"], result["code"]) if part)
        flash(f"The test failed: {cause}.", "bad")
    return _back_to(connection_id)


@pages.post("/settings/connections/<connection_id>/delete")
def delete_connection(connection_id: str) -> ResponseReturnValue:
    """Forget the connection and its credential."""
    name = _one(connection_id)["name"]
    vault.delete(plumbing(), operator(), connection_id)
    flash(f"The connection {name} and its token are gone.")
    return redirect(url_for("pages.connections"))
