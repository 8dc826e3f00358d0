"""The reader's own account: what can be answered from the inbox, and ending that."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from wtforms import SelectField

from switchboard.access import accounts, languages
from switchboard.mail import answerable
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.filters import counted
from switchboard.web.forms import PageForm, choices
from switchboard.web.session import operator


class LanguageForm(PageForm):
    """The language of the line above which one replies."""

    language = SelectField(
        "Language",
        choices=choices((code, each.name) for code, each in languages.LANGUAGES.items()),
        description="Of that line alone; the rest of a mail is English.",
    )


@pages.get("/settings/account")
def account() -> ResponseReturnValue:
    """The page."""
    chosen = accounts.language_of(plumbing(), operator().name)
    after = request.args.get("after") or None
    found, more = answerable.listed(plumbing(), operator(), after=after)
    return render_template(
        "account.html",
        mails=found,
        after=after,
        form=LanguageForm(language=chosen),
        line=languages.reply_line(chosen),
        older=url_for("pages.account", after=more, _anchor="mails") if more else None,
        inbound_domain=plumbing().settings["INBOUND_DOMAIN"],
    )


@pages.post("/settings/account/language")
def choose_language() -> ResponseReturnValue:
    """Keep the language. What the form does not offer is refused as the vertical says."""
    done = accounts.set_language(plumbing(), operator().name, request.form.get("language", ""))
    flash(f"Mails begin with: {languages.reply_line(done['language'])}")
    return redirect(url_for("pages.account"))


@pages.get("/settings/account/language")
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
