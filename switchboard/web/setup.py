"""The first start: the one-time link makes the first account, then this door is closed for good."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import EmailField, StringField

from switchboard.access import accounts, login
from switchboard.errors import Problem
from switchboard.web import session
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.forms import PageForm, required, secret_field


class SetupForm(PageForm):
    """The first account."""

    name = StringField(
        "Name",
        [required("Choose a name.")],
        description="What you sign in with: letters, digits, dots, dashes, underscores.",
        render_kw={"autocomplete": "username", "autocapitalize": "none", "autofocus": True},
    )
    email = EmailField(
        "E-mail",
        [required("Give an e-mail address.")],
        description="Nothing is sent there until you set up notifications.",
        render_kw={"autocomplete": "email"},
    )
    password = secret_field(
        "Password",
        f"At least {accounts.MIN_PASSWORD} characters. A few words make a good one.",
        required("Choose a password."),
        autocomplete="new-password",
    )


@pages.route("/setup", methods=["GET", "POST"])
def setup() -> ResponseReturnValue:
    """Create the first account, or say how to get here."""
    lib = plumbing()
    accounts.require_none(lib)
    token = request.values.get("token", "")
    if not login.is_setup_token(lib, token):
        return render_template("setup_link.html", tried=bool(token)), 403 if token else 200
    form = SetupForm()
    if form.validate_on_submit():
        new = accounts.NewAccount(form.name.data, form.email.data, form.password.data)
        try:
            accounts.create_first(lib, new)
        except Problem as problem:
            beside_field(form, problem)
        else:
            remote = request.remote_addr or ""
            session.begin(*login.with_password(lib, new.name, str(new.password), remote))
            flash(f"Welcome, {new.name}. This instance is yours; the setup link is used up.")
            return redirect(url_for("pages.home"))
    return render_template("setup.html", form=form, token=token), 422 if form.errors else 200
