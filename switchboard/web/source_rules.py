"""A source's rules with their dry run, and its send test: what a human tries out on the source's page."""

from __future__ import annotations

from flask import flash, request
from flask.typing import ResponseReturnValue

from switchboard.errors import Problem
from switchboard.inbound import dry_run, send_test, source_changes
from switchboard.web.blueprint import pages, plumbing
from switchboard.web.errors import beside_field
from switchboard.web.session import operator
from switchboard.web.source import back_to, show, the_one
from switchboard.web.source_forms import rules_form, rules_of


@pages.post("/settings/sources/<source_id>/rules")
def edit_rules(source_id: str) -> ResponseReturnValue:
    """Keep the rules as they stand in the form, or only try them on what came lately."""
    found = the_one(source_id)
    form = rules_form([], request.form)
    form.validate()
    wanted = rules_of(form)
    try:
        if "try" in request.form:
            results = dry_run.run(plumbing(), operator(), source_id, wanted)
            return show(found, rules=rules_form(wanted), dry_run=results, opened="rules")
        source_changes.edit(plumbing(), operator(), source_id, {"rules": wanted})
    except Problem as problem:
        beside_field(form, problem)
        return show(found, rules=form, opened="rules"), 422
    flash("The rules are kept; the next delivery meets them.")
    return back_to(source_id)


@pages.post("/settings/sources/<source_id>/test")
def test_source(source_id: str) -> ResponseReturnValue:
    """Send one good and one forged sample through the public address and show what became of both."""
    found = the_one(source_id)
    try:
        return show(found, tested=send_test.run(plumbing(), operator(), source_id))
    except Problem as problem:
        return show(found, tested={"refused": problem.detail}), problem.status
