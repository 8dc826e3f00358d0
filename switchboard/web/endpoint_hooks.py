"""The notify hook of an endpoint, folded on the endpoints' page: set, rotate, test, remove."""

from __future__ import annotations

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.access import endpoints as book
from switchboard.errors import NotFound, Problem
from switchboard.notify import hooks
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.endpoints import new_form, show
from switchboard.web.errors import beside_field
from switchboard.web.hook_forms import hook_form
from switchboard.web.session import operator


@pages.get("/settings/endpoints/<endpoint_id>/hook")
@pages.get("/settings/endpoints/<endpoint_id>/hook/<any(rotate, test, remove):_act>")
def endpoint_hook(endpoint_id: str, _act: str = "") -> ResponseReturnValue:
    """Where an address of the forms below leads when it is opened by hand."""
    return _back_to(_one(endpoint_id)["id"])


@pages.post("/settings/endpoints/<endpoint_id>/hook")
def set_hook(endpoint_id: str) -> ResponseReturnValue:
    """Set the hook; its secret stands in this answer only."""
    form = hook_form(endpoint_id, request.form)
    if form.validate():
        try:
            made = hooks.put(plumbing(), operator(), endpoint_id, form.url.data)
        except Problem as problem:
            beside_field(form, problem)
        else:
            return _secret_once(endpoint_id, made), 201
    return show(new_form(), opened=_one(endpoint_id)["id"], hook=form), 422


@pages.post("/settings/endpoints/<endpoint_id>/hook/rotate")
def rotate_hook(endpoint_id: str) -> ResponseReturnValue:
    """A new secret, which stands in this answer only."""
    return _secret_once(endpoint_id, hooks.rotate(plumbing(), operator(), endpoint_id))


def _secret_once(endpoint_id: str, made: hooks.Made) -> str:
    return render_template(
        "hook_secret.html", endpoint=_one(endpoint_id), hook=made.hook, secret=made.secret
    )


@pages.post("/settings/endpoints/<endpoint_id>/hook/test")
def test_hook(endpoint_id: str) -> ResponseReturnValue:
    """Call it once."""
    result = hooks.test(plumbing(), operator(), endpoint_id)
    if result["ok"]:
        flash("The hook took the call.")
    else:
        flash(f"The hook did not take the call: {result['class']} {result['code']}.", "bad")
    return _back_to(endpoint_id)


@pages.post("/settings/endpoints/<endpoint_id>/hook/remove")
def remove_hook(endpoint_id: str) -> ResponseReturnValue:
    """Forget it and its secret."""
    hooks.remove(plumbing(), operator(), endpoint_id)
    flash("The hook and its secret are gone.")
    return _back_to(endpoint_id)


def _one(endpoint_id: str) -> dict[str, Any]:
    for each in book.in_view(plumbing(), operator()):
        if each["id"] == endpoint_id:
            return each
    raise NotFound("There is no such endpoint.")


def _back_to(endpoint_id: str) -> ResponseReturnValue:
    return redirect(url_for("pages.endpoints", _anchor=endpoint_id))
