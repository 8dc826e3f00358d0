"""Refusals as a human sees them: beside the field they are about, or as a page of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from flask import Flask, Response, g, render_template

from switchboard.errors import Conflict, Forbidden, Invalid, NotFound, Problem, RateLimited
from switchboard.web import session

# What a human can mend in the form; anything else becomes a page.
_MENDABLE = (Invalid, Conflict, Forbidden, RateLimited)
_WORDS = {
    404: "There is nothing at this address, or not for you.",
    405: "This address only takes what a form sends.",
    500: "Something went wrong here. The log has the details; going back loses nothing.",
}


def register(app: Flask, answers_json: Callable[[], bool]) -> None:
    """Tell problems as a page wherever a page was asked for; JSON routes keep theirs."""

    def as_page(response: Response) -> Response:
        if answers_json() or response.mimetype != "application/problem+json":
            return response
        problem = json.loads(response.get_data())
        response.set_data(_page(problem))
        response.mimetype = "text/html"
        return response

    app.after_request(as_page)


def _page(problem: dict[str, Any]) -> str:
    if "operator" not in g:  # no route matched, or the guard itself failed
        g.operator = session.peek()
    known = problem["code"] in ("not_found", "method_not_allowed", "internal")
    words = _WORDS.get(problem["status"]) if known else None
    return render_template("error.html", problem=problem, words=words or problem["detail"])


def beside_field(form: Any, problem: Problem, fallback: str | None = None) -> None:
    """Put a refusal beside the field it names, or at `fallback`, or above the form.

    Raises the problem again when no form can mend it.
    """
    named = problem.field if problem.field in form else None
    mendable = isinstance(problem, _MENDABLE) or (isinstance(problem, NotFound) and named)
    if not mendable:
        raise problem
    field = named or fallback
    said = f"{problem.detail} ({problem.code})"
    if field is None:
        form.form_errors.append(said)
    else:
        form[field].errors = [*form[field].errors, said]
