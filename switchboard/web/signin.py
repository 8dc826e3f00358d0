"""Signing in and out."""

from __future__ import annotations

from flask import g, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import StringField

from switchboard.access import accounts, login
from switchboard.errors import Problem, RateLimited, Unauthenticated
from switchboard.web import session
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.forms import PageForm, required, secret_field


class SignInForm(PageForm):
    """Name and password."""

    name = StringField(
        "Name",
        [required("Give your name.")],
        render_kw={"autocomplete": "username", "autocapitalize": "none", "autofocus": True},
    )
    password = secret_field(
        "Password", "", required("Give your password."), autocomplete="current-password"
    )


@pages.route("/login", methods=["GET", "POST"])
def sign_in() -> ResponseReturnValue:
    """Sign in and go where one wanted to go."""
    if not accounts.exist(plumbing()):
        return redirect(url_for("pages.setup"))
    wanted = session.safe_next(request.args.get("next"))
    if g.operator is not None and request.method == "GET":
        return redirect(wanted)
    form = SignInForm()
    if not form.validate_on_submit():
        return render_template("login.html", form=form), 422 if form.errors else 200
    try:
        remote = request.remote_addr or ""
        session.begin(*login.with_password(plumbing(), form.name.data, form.password.data, remote))
    except (Unauthenticated, RateLimited) as problem:
        return _again(form, problem)
    return redirect(wanted)


def _again(form: SignInForm, problem: Problem) -> ResponseReturnValue:
    form.form_errors.append(f"{problem.detail} ({problem.code})")
    headers = {"Retry-After": str(problem.retry_after)} if problem.retry_after else {}
    return render_template("login.html", form=form), problem.status, headers


@pages.post("/logout")
def sign_out() -> ResponseReturnValue:
    """End the session."""
    session.end()
    return redirect(url_for("pages.sign_in"))
