"""The forms of threads: open one, comment."""

from __future__ import annotations

from typing import Any

from wtforms import SelectField, StringField, TextAreaField

from switchboard.threads import opening
from switchboard.web.forms import PageForm, choices, offer_owners, owner_field, required
from switchboard.web.session import operator

KINDS = {
    "ticket": "Ticket – something to be done",
    "forum": "Forum thread – something to talk about",
    "landing": "Landing – a change to remark on",
}


class CommentForm(PageForm):
    """One comment."""

    body = TextAreaField(
        "Comment",
        [required("Say something.")],
        description="Plain text, up to 32 KiB.",
        render_kw={"rows": 4, "class": "prose"},
    )


class OpenForm(PageForm):
    """A new thread."""

    kind = SelectField("Kind")
    repo = StringField(
        "Repo",
        [required("Name the repo it is filed under.")],
        description="A label such as rocket or acme/rocket. One that nobody has is made.",
        render_kw={"autocomplete": "off", "autocapitalize": "none", "list": "repos"},
    )
    owner = owner_field()
    title = StringField("Title", [required("Say what it is about.")], render_kw={"maxlength": 300})
    body = TextAreaField(
        "Text",
        description="Plain text, up to 32 KiB. It may be left out.",
        render_kw={"rows": 6, "class": "prose"},
    )
    labels = StringField(
        "Labels", description="Separated by commas.", render_kw={"autocomplete": "off"}
    )


def open_form(formdata: Any = None, *, repo: str | None = None) -> OpenForm:
    """The form for one more thread: the kinds that the operator may open."""
    form = OpenForm(formdata=formdata, repo=repo)
    held = operator().letters
    form.kind.choices = choices(
        (kind, label) for kind, label in KINDS.items() if opening.LETTER[kind] in held
    )
    offer_owners(form)
    form.owner.description = "Whose a new repo is to be. One that is there keeps its owner."
    return form


def new_thread(form: OpenForm) -> opening.NewThread:
    """What the form asks for."""
    labels = [label.strip() for label in (form.labels.data or "").split(",")]
    return opening.NewThread(
        repo=form.repo.data or "",
        kind=form.kind.data,
        title=form.title.data or "",
        body=form.body.data or "",
        labels=[label for label in labels if label],
        owner=form.owner.data or None,
    )
