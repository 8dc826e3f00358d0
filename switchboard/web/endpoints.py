"""The endpoints: vend one to an agent, see who works, end one."""

from __future__ import annotations

from itertools import count
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectField, StringField

from switchboard.access import ceilings, clients, oauth
from switchboard.access import endpoints as book
from switchboard.access.principals import FAMILIES
from switchboard.errors import NotFound, Problem
from switchboard.notify import hooks as of_endpoints
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.filters import DAY
from switchboard.web.forms import (
    PageForm,
    choices,
    offer_owners,
    one_a_line,
    owner_field,
    required,
    ticks,
)
from switchboard.web.hook_forms import HookForm, hook_form
from switchboard.web.session import operator

MEANING = {
    "drain": "claim todos and finish them",
    "webhook": "make sources of its own",
    "reply": "answer where a todo came from",
    "connection": "keep outbound credentials",
    "session": "ask and be asked",
}
LIFETIMES = (1, 7, 30, 90, 365)  # days
CEILINGS = (0, 1, 3, 10, 30, 100)  # webhooks


class EndpointForm(PageForm):
    """A new endpoint."""

    name = StringField(
        "Name",
        [required("Name it.")],
        description="What the agent is called here: letters, digits, dots, dashes, underscores.",
        render_kw={"autocomplete": "off"},
    )
    queues = StringField(
        "Queues",
        default=book.DEFAULT_QUEUE,
        description="The queues it may work on, separated by spaces.",
        render_kw={"autocomplete": "off", "autocapitalize": "none"},
    )
    verbs = ticks("Verbs", "Grant what the work needs and no more; vending again is cheap.")
    ceiling = SelectField(
        "How many webhooks",
        choices=choices((str(most), str(most)) for most in CEILINGS),
        default=str(ceilings.DEFAULT_WEBHOOKS),
        description="What it makes is yours, works for it alone, and is answered only through a "
        "connection with targets.",
    )
    ceiling_kinds = ticks("Of which kinds", "The senders it may let in.")
    ceiling_queues = StringField(
        "Onto which queues",
        description="Some of its queues, separated by spaces; empty means all of them.",
        render_kw={"autocomplete": "off", "autocapitalize": "none"},
    )
    expires = SelectField(
        "Expires", default="", description="After that the credential stops by itself."
    )
    owner = owner_field()


class QuickForm(PageForm):
    """A new endpoint with the basic verbs."""

    name = StringField("Name", [required("Name it.")], render_kw={"autocomplete": "off"})


def new_form(formdata: Any = None) -> EndpointForm:
    """The form for one more endpoint."""
    form = EndpointForm(formdata=formdata)
    form.verbs.choices = choices((family, f"{family} – {MEANING[family]}") for family in FAMILIES)
    lifetimes = ((str(days), in_days(days)) for days in LIFETIMES)
    form.expires.choices = choices([("", "never"), *lifetimes])
    kinds = ceilings.webhook_kinds(plumbing().settings)
    form.ceiling_kinds.choices = choices((kind, kind) for kind in kinds)
    offer_owners(form)
    if formdata is None:
        form.verbs.data, form.ceiling_kinds.data = ["drain"], list(kinds)
    return form


def in_days(days: int) -> str:
    """A lifetime in words."""
    return {1: "in a day", 7: "in a week", 365: "in a year"}.get(days, f"in {days} days")


@pages.get("/settings/endpoints")
def endpoints() -> ResponseReturnValue:
    """The endpoints and the forms for one more."""
    return show(new_form())


def show(
    form: EndpointForm,
    *,
    quick: QuickForm | None = None,
    opened: str | None = None,
    hook: HookForm | None = None,
) -> str:
    """The page; `opened` is the endpoint whose form for a hook came back with errors."""
    every = book.in_view(plumbing(), operator())
    over = [each for each in every if each["state"] != "active"]
    live = [each for each in every if each["state"] == "active"]
    hooks = of_endpoints.in_view(plumbing(), operator())
    forms = {endpoint_id: hook_form(endpoint_id) for endpoint_id in hooks}
    if opened and hook:
        forms[opened] = hook
    return render_template(
        "endpoints.html",
        live=live,
        over=over,
        form=form,
        quick=quick or QuickForm(None, prefix="quick", data={"name": _free_name(every)}),
        hooks=hooks,
        hook_forms=forms,
        programs=oauth.programs(plumbing(), operator()),
        opened=opened,
    )


def _free_name(every: list[dict[str, Any]]) -> str:
    """`agent`, else the first of `agent-2`, `agent-3`… that none has; an ended one's is free again."""
    taken = {each["name"] for each in every if each["state"] != "revoked"}
    return next(
        name for n in count(1) if (name := "agent" if n == 1 else f"agent-{n}") not in taken
    )


@pages.post("/settings/endpoints")
def vend_endpoint() -> ResponseReturnValue:
    """Vend one; its credential stands in this answer only."""
    form = new_form(request.form)
    if form.validate():
        try:
            vended = book.vend(
                plumbing(),
                operator(),
                form.name.data,
                owner=form.owner.data or None,
                verbs=form.verbs.data or [],
                queues=one_a_line(form.queues.data),
                ceiling=_ceiling(form) if "webhook" in (form.verbs.data or []) else None,
                expires_in=int(form.expires.data) * DAY if form.expires.data else None,
            )
        except Problem as problem:
            beside_field(form, problem, "verbs" if problem.letter else None)
        else:
            return _vended(vended)
    return show(form), 422


def _ceiling(form: EndpointForm) -> dict[str, Any]:
    return {
        "webhooks": int(form.ceiling.data),
        "kinds": form.ceiling_kinds.data or [],
        "queues": one_a_line(form.ceiling_queues.data) or None,
    }


def _vended(vended: book.Vended) -> ResponseReturnValue:
    page = render_template(
        "endpoint_vended.html",
        endpoint=vended.endpoint,
        credential=vended.credential,
        pastes=clients.pastes(vended.endpoint, vended.credential),
        base_url=plumbing().settings.base_url,
    )
    return page, 201


@pages.post("/settings/endpoints/quick")
def vend_quickly() -> ResponseReturnValue:
    """Vend one with the basic verbs and all else as usual."""
    form = QuickForm(request.form, prefix="quick")
    if form.validate():
        try:
            return _vended(book.vend(plumbing(), operator(), form.name.data, verbs=["basic"]))
        except Problem as problem:
            beside_field(form, problem, "name")
    return show(new_form(), quick=form), 422


@pages.post("/settings/endpoints/<endpoint_id>/revoke")
def revoke_endpoint(endpoint_id: str) -> ResponseReturnValue:
    """End an endpoint for good."""
    names = {each["id"]: each["name"] for each in book.in_view(plumbing(), operator())}
    if endpoint_id not in names:
        raise NotFound("There is no such endpoint.")
    book.revoke(plumbing(), operator(), endpoint_id)
    flash(f"{names[endpoint_id]} is revoked: its credential stopped working just now.")
    return redirect(url_for("pages.endpoints"))
