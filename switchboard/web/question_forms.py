"""The form that answers a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wtforms import BooleanField, HiddenField, TextAreaField

from switchboard.web.filters import owner
from switchboard.web.forms import PageForm, required


class AnswerForm(PageForm):
    """An answer to what the agent of a work item asks."""

    ref = HiddenField()
    question = HiddenField()
    owner = HiddenField()
    text = TextAreaField(
        "Your answer",
        [required("Write an answer.")],
        render_kw={"rows": 3, "class": "prose"},
    )
    comment = BooleanField("note it on the work item, too", default=True)


def answer_form(about: Mapping[str, Any]) -> AnswerForm:
    """An empty one for that work item; several stand on one page, so its fields have ids of its own."""
    asked = about["open"]["id"] if about["open"] else ""
    form = AnswerForm(formdata=None, ref=about["ref"], owner=owner(about["owner"]), question=asked)
    for field in form:
        field.id = f"{field.id}-{form.owner.data}-{about['ref']}"
        field.label.field_id = field.id
    return form
