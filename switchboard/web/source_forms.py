"""The forms of a source: a new one, its rules, a new secret."""

from __future__ import annotations

from typing import Any

from wtforms import SelectField, StringField, TextAreaField
from wtforms.validators import Optional

from switchboard.access import letters
from switchboard.providers import source_kinds
from switchboard.web.blueprint import plumbing
from switchboard.web.forms import (
    PageForm,
    as_lines,
    choices,
    offer_owners,
    owner_field,
    required,
    secret_field,
    ticks,
)
from switchboard.web.session import operator
from switchboard.web.shelves import live_endpoints


class RulesForm(PageForm):
    """What a source may do, what it speaks for, where its work goes."""

    to = ticks("Targets", "Each delivery becomes one todo per target: an endpoint and its queue.")
    repos = TextAreaField(
        "Repository pins",
        description="Repositories it speaks for, one a line, such as owner/* or owner/name. Any "
        "other still makes a todo, but one that cannot be answered. Empty: all of the host.",
        render_kw={"rows": 2},
    )
    letters = ticks("Letters", "What it may do here. A provider's event needs n to open a todo.")


class SourceForm(RulesForm):
    """A new source."""

    kind = SelectField("Kind", description="Which service calls.")
    name = StringField(
        "Name",
        [required("Name it.")],
        description="Letters, digits, dots, dashes, underscores.",
        render_kw={"autocomplete": "off"},
    )
    host = StringField(
        "Host",
        description="The server it speaks for. Empty: github.com. A body that names another host "
        "gets no reply address.",
        render_kw={"autocomplete": "off", "autocapitalize": "none", "placeholder": "github.com"},
    )
    secret = secret_field(
        "Secret",
        "Leave it empty and one is made and shown once. Fill it in only if the sender has its own.",
        Optional(),
    )
    owner = owner_field()


class RotateForm(PageForm):
    """A new secret for an old source."""

    secret = secret_field(
        "New secret", "Leave it empty and one is made and shown once.", Optional()
    )


def new_form(formdata: Any = None) -> SourceForm:
    """The form for one more source: a single target and the provider's letter are ticked."""
    form = SourceForm(formdata=formdata)
    kinds = source_kinds(plumbing().settings)
    form.kind.choices = choices((kind, provider.label) for kind, provider in kinds.items())
    _offer(form)
    offer_owners(form)
    if formdata is None:
        form.letters.data = ["n"]
        form.to.data = [form.to.choices[0].value] if len(form.to.choices) == 1 else []
    return form


def rules_form(found: dict[str, Any], formdata: Any = None) -> RulesForm:
    """The form of one source, filled with what it is now."""
    form = RulesForm(
        formdata=formdata,
        to=found["to"],
        repos=as_lines(found["repos"]),
        letters=list(found["letters"]),
    )
    _offer(form, found)
    return form


def _offer(form: RulesForm, source: dict[str, Any] | None = None) -> None:
    mine = [each for each in live_endpoints() if not source or each["owner"] == source["owner"]]
    targets = [f"{each['name']}:{queue}" for each in mine for queue in each["queues"]]
    targets = list(dict.fromkeys([*targets, *(source["to"] if source else [])]))
    form.to.choices = choices((target, target.replace(":", " · ")) for target in targets)
    held = set(operator().letters) | set(source["letters"] if source else "")
    form.letters.choices = choices(
        (letter, f"{letter} – {means}")
        for letter, means in letters.MEANING.items()
        if letter in held
    )
