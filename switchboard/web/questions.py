"""What agents ask: answered here, or said to be answered elsewhere; and the session that waits."""

from __future__ import annotations

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from switchboard.errors import BadRequest, NotFound, Problem
from switchboard.sessions import answering, questions, registry
from switchboard.sessions.refs import question_page
from switchboard.web.blueprint import pages, plumbing, waiting
from switchboard.web.errors import beside_field
from switchboard.web.filters import owner
from switchboard.web.question_forms import AnswerForm, answer_form
from switchboard.web.session import operator

LETTER = answering.LETTER
VIA = "page"
CARDS = 20  # questions with all that belongs to them on the home page; each takes some queries
ACTS = {"pause": registry.pause, "resume": registry.resume, "end": registry.end}
SAID = {
    "pause": "The session is paused: it takes no answer until it is resumed.",
    "resume": "The session is active again.",
    "end": "The session has ended.",
}


def cards() -> list[dict[str, Any]]:
    """The open questions that wait longest, each with its offers and the form that answers it."""
    lib, mine = plumbing(), operator()
    shown = []
    for asked in questions.open_questions(lib, mine)[:CARDS]:
        ref, whose = asked["ref"], owner(asked["owner"])
        found = questions.about(lib, mine, ref, whose)
        if found["open"] is not None:  # else it was answered just now
            shown.append({**found, "form": answer_form(found), "page": question_page(ref, whose)})
    return shown


@pages.get("/question")
def question() -> ResponseReturnValue:
    """The question of a work item, what was asked and answered before, and the reply box."""
    ref, whose = request.args.get("ref", ""), request.args.get("owner") or None
    return _show(questions.about(plumbing(), operator(), ref, whose))


def _show(found: dict[str, Any], form: AnswerForm | None = None) -> str:
    return render_template(
        "question.html",
        found=found,
        form=form or answer_form(found),
        may_answer=LETTER in operator().letters,
        letter=LETTER,
    )


@pages.post("/question")
def answer_question() -> ResponseReturnValue:
    """Bring an answer to the agent's session; one that could not be brought stays in the form."""
    form = AnswerForm()
    ref, whose = form.ref.data or "", form.owner.data or None
    if form.validate():
        answer = answering.Answer(
            ref,
            form.text.data or "",
            comment=bool(form.comment.data),
            owner=whose,
            question=form.question.data or None,
        )
        try:
            outcome = answering.answer(plumbing(), operator(), answer, waiting(), via=VIA)
        except (BadRequest, NotFound) as problem:
            form.text.errors = [*form.text.errors, f"{problem.detail} ({problem.code})"]
        except Problem as problem:
            beside_field(form, problem, "text")
        else:
            if outcome.exit_code == 0:
                flash(" ".join(outcome.messages))
                return redirect(url_for("pages.question", ref=ref, owner=whose))
            form.text.errors = [*form.text.errors, *outcome.messages]
    found = questions.about(plumbing(), operator(), ref, whose)
    # sent once more it answers what is shown now, if anything
    form.question.data = found["open"]["id"] if found["open"] else ""
    return _show(found, form), 422


@pages.post("/question/elsewhere")
def answered_elsewhere() -> ResponseReturnValue:
    """Close a question that was answered on the ticket, in person, or not at all."""
    form = AnswerForm()
    ref, whose = form.ref.data or "", form.owner.data or None
    mine = operator()
    questions.answered_elsewhere(plumbing(), mine, ref, whose, question=form.question.data or None)
    flash(f"The question on {ref} no longer waits here.")
    return redirect(url_for("pages.home"))


@pages.post("/sessions/<session_id>/<any(pause, resume, end):act>")
def act_on_session(session_id: str, act: str) -> ResponseReturnValue:
    """Pause, resume or end the session that works on a work item."""
    session = ACTS[act](plumbing(), operator(), session_id)
    flash(SAID[act])
    return redirect(question_page(session["ref"], owner(session["owner"])))


@pages.get("/question/elsewhere")
@pages.get("/sessions/<_id>/<any(pause, resume, end):_act>")
def question_act(_id: str = "", _act: str = "") -> ResponseReturnValue:
    """Where an address of the forms leads when it is opened by hand."""
    return redirect(url_for("pages.home"))
