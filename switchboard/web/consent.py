"""The consent screen: a program asks to work as an endpoint, and a human says with which verbs, or no."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode, urlsplit

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectField

from switchboard.access import oauth, oauth_programs
from switchboard.access.oauth import Asking
from switchboard.errors import NotFound, Problem
from switchboard.models import Endpoint
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.endpoints import LIFETIMES, MEANING, in_days
from switchboard.web.errors import beside_field
from switchboard.web.filters import DAY
from switchboard.web.forms import PageForm, choices, ticks
from switchboard.web.headers import let_forms_lead_to
from switchboard.web.session import operator


class ConsentForm(PageForm):
    """What the program is let have."""

    verbs = ticks("It may", "No more than the endpoint was granted. Tick what the work needs.")
    expires = SelectField(
        "Until", default="", description="It can be ended before on the endpoint."
    )


@pages.get("/authorize/consent")
def consent() -> ResponseReturnValue:
    """Who asks for what, and the two answers."""
    asking = _asking()
    endpoint = oauth.offered(plumbing(), operator(), asking)
    return _show(asking, endpoint, _form(endpoint))


@pages.post("/authorize/consent")
def answer_consent() -> ResponseReturnValue:
    """Send the program back with a code, or with a no."""
    asking = _asking()
    if "allow" not in request.form:
        return _back(asking, error="access_denied")
    endpoint = oauth.offered(plumbing(), operator(), asking)
    form = _form(endpoint, request.form)
    if form.validate():
        seconds = int(form.expires.data) * DAY if form.expires.data else None
        try:
            code = oauth.grant(plumbing(), operator(), asking, form.verbs.data or [], seconds)
        except Problem as problem:
            beside_field(form, problem, "verbs" if problem.letter else None)
        else:
            return _back(asking, code=code)
    return _show(asking, endpoint, form), 422


@pages.post("/settings/endpoints/<endpoint_id>/programs/<token_id>/end")
def shut_out(endpoint_id: str, token_id: str) -> ResponseReturnValue:
    """End what a program was let have."""
    oauth.shut_out(plumbing(), operator(), endpoint_id, token_id)
    flash("The program is shut out: its token is good no more.")
    return redirect(url_for("pages.endpoints", _anchor=endpoint_id))


def _asking() -> Asking:
    return oauth.opened(plumbing(), request.args.get("request", ""))


def _form(endpoint: Endpoint, formdata: Any = None) -> ConsentForm:
    form = ConsentForm(formdata=formdata)
    form.verbs.choices = choices((verb, f"{verb} – {MEANING[verb]}") for verb in endpoint.verbs)
    lifetimes = ((str(days), in_days(days)) for days in LIFETIMES)
    form.expires.choices = choices([("", "it is ended"), *lifetimes])
    if formdata is None:
        form.verbs.data = [verb for verb in endpoint.verbs if verb == "drain"]
    return form


def _show(asking: Asking, endpoint: Endpoint, form: ConsentForm) -> str:
    program = oauth_programs.client(plumbing(), asking.client_id)
    if program is None:
        raise NotFound("This program is not registered any more. Start again in it.")
    goes_to = urlsplit(asking.redirect_uri)
    origin = f"{goes_to.scheme}:"
    # a link of a program's own scheme names whatever host it likes, and goes to that program
    if goes_to.scheme in ("http", "https"):
        origin += f"//{goes_to.netloc}"
    let_forms_lead_to(origin)  # browsers hold a form's redirect to the policy of its page
    return render_template(
        "consent.html",
        program=program.name,
        goes_to=origin,
        endpoint=endpoint.name,
        form=form,
        action=url_for("pages.answer_consent", request=request.args["request"]),
    )


def _back(asking: Asking, **answer: str) -> ResponseReturnValue:
    """To where the program registered, with the answer and what it gave to know it by."""
    given = answer | ({"state": asking.state} if asking.state is not None else {})
    separator = "&" if "?" in asking.redirect_uri else "?"
    return redirect(f"{asking.redirect_uri}{separator}{urlencode(given)}")
