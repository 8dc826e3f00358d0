"""The reader's own account: what can be answered from the inbox, and ending that."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.mail import answerable
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.filters import counted
from switchboard.web.session import operator


@pages.get("/settings/account")
def account() -> ResponseReturnValue:
    """The page."""
    after = request.args.get("after") or None
    found, more = answerable.listed(plumbing(), operator(), after=after)
    return render_template(
        "account.html",
        mails=found,
        after=after,
        older=url_for("pages.account", after=more, _anchor="mails") if more else None,
        inbound_domain=plumbing().settings["INBOUND_DOMAIN"],
    )


@pages.get("/settings/account/mails/withdraw")
@pages.get("/settings/account/mails/<place_id>/withdraw")
def account_act(place_id: str | None = None) -> ResponseReturnValue:
    """Where an address of the forms below leads when it is opened by hand."""
    return redirect(url_for("pages.account", _anchor=place_id or "mails"))


@pages.post("/settings/account/mails/<place_id>/withdraw")
def withdraw_mails(place_id: str) -> ResponseReturnValue:
    """End the answers by mail in one place."""
    return _withdraw(place_id)


@pages.post("/settings/account/mails/withdraw")
def withdraw_all_mails() -> ResponseReturnValue:
    """End the answers to every mail sent so far."""
    return _withdraw(None)


def _withdraw(place_id: str | None) -> ResponseReturnValue:
    count = answerable.revoke(plumbing(), operator(), place_id)
    flash(f"{counted(count, 'mail')} can be answered no more.")
    return redirect(url_for("pages.account", _anchor="mails"))
