"""The forms of a source: a new one of a kind, what it may do, its rules, a new secret."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import url_for
from werkzeug.datastructures import MultiDict
from wtforms import (
    BooleanField,
    FieldList,
    Form,
    FormField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Optional

from switchboard.access import letters
from switchboard.providers import source_kind, source_kinds
from switchboard.providers.base import SourceKind
from switchboard.web.blueprint import plumbing
from switchboard.web.forms import (
    PageForm,
    as_lines,
    choices,
    offer_owners,
    one_a_line,
    owner_field,
    required,
    secret_field,
    ticks,
)
from switchboard.web.session import operator
from switchboard.web.shelves import live_endpoints

EMPTY_RULES = 2  # blank rows below the rules there are


class GrantsForm(PageForm):
    """What a source may do, what it speaks for, where its work goes."""

    to = ticks("Targets", "Each delivery becomes one todo per target: an endpoint and its queue.")
    host = StringField("Host", render_kw={"autocomplete": "off", "autocapitalize": "none"})
    repos = TextAreaField(
        "Repository pins",
        description="Repositories it speaks for, one a line, such as owner/* or owner/name. Any "
        "other still makes a todo, but one that cannot be answered. Empty: all of the host.",
        render_kw={"rows": 2},
    )
    letters = ticks("Letters", "What it may do here. A provider's event needs n to open a todo.")
    red_opens_todo = BooleanField(
        "A failed check opens a todo",
        description="Verdicts failure and error become work for the targets.",
    )


class SourceForm(GrantsForm):
    """A new source."""

    kind = SelectField("Kind", description="Which service calls.")
    name = StringField(
        "Name",
        [required("Name it.")],
        description="Letters, digits, dots, dashes, underscores.",
        render_kw={"autocomplete": "off"},
    )
    repo = StringField(
        "Repo",
        description="The label under which its tickets and verdicts are filed, such as acme/rocket. "
        "It is made if it is not there yet.",
        render_kw={"autocomplete": "off", "autocapitalize": "none"},
    )
    secret = secret_field(
        "Secret",
        "Leave it empty and one is made and shown once. Fill it in only if the sender has its own.",
        Optional(),
    )
    owner = owner_field()


class RuleForm(Form):  # type: ignore[misc]
    """One jq rule; a row with an empty `when` counts for nothing."""

    when = TextAreaField("When", render_kw={"rows": 1, "spellcheck": "false"})
    queue = StringField("Queue", render_kw={"autocomplete": "off"})
    to = StringField("Only to", render_kw={"autocomplete": "off"})
    drop = BooleanField("Drop")


class RulesForm(PageForm):
    """The rules of a source, in their order."""

    rules = FieldList(FormField(RuleForm), max_entries=40)


class RotateForm(PageForm):
    """A new secret for an old source."""

    secret = secret_field(
        "New secret", "Leave it empty and one is made and shown once.", Optional()
    )


def new_form(wanted: str | None = None, formdata: Any = None) -> SourceForm:
    """The form for one more source of the wanted kind: a single target and its usual letters ticked."""
    kinds = source_kinds(plumbing().settings)
    form = SourceForm(formdata=formdata)
    form.kind.choices = choices((kind, each.label) for kind, each in kinds.items())
    form.kind.render_kw = {"data-goes": url_for("pages.sources")}
    if formdata is None:
        form.kind.data = wanted if wanted in kinds else next(iter(kinds))
    kind = kinds.get(form.kind.data or "", next(iter(kinds.values())))
    _offer(form)
    offer_owners(form)
    _speak(form, kind)
    if kind.signing_help:
        form.secret.description = kind.signing_help
    if formdata is None:
        form.letters.data = list(kind.default_letters)
        form.to.data = [form.to.choices[0].value] if len(form.to.choices) == 1 else []
    return form


def shown_fields(kind: str) -> list[str]:
    """The fields of a new source that mean something for its kind, in their order."""
    known = source_kinds(plumbing().settings)
    found = known.get(kind) or next(iter(known.values()))
    return [
        "kind",
        "name",
        "owner",
        *(["repo"] if found.filed else []),
        "to",
        *_grants(found),
        *(["secret"] if found.signs else []),
    ]


def proves_nothing(kind: str) -> bool:
    """Whether sources of that kind sign nothing, so that they can never be answered."""
    known = source_kinds(plumbing().settings)
    return kind in known and not known[kind].signs


def grant_fields(kind: str) -> list[str]:
    """The fields of what a source of that kind may do."""
    return ["to", *_grants(source_kind(plumbing().settings, kind))]


def _grants(kind: SourceKind) -> list[str]:
    speaks = ["host"] if kind.speaks else []
    pins = ["repos"] if kind.pins_repos else []
    return [*speaks, *pins, "letters", *(["red_opens_todo"] if kind.filed else [])]


def grants_form(found: dict[str, Any], formdata: Any = None) -> GrantsForm:
    """The form of one source, filled with what it is now."""
    form = GrantsForm(
        formdata=formdata,
        to=found["to"],
        host=found["host"],
        repos=as_lines(found["repos"]),
        letters=list(found["letters"]),
        red_opens_todo=found["red_opens_todo"],
    )
    _offer(form, found)
    _speak(form, source_kind(plumbing().settings, found["kind"]))
    return form


def _speak(form: GrantsForm, kind: SourceKind) -> None:
    if speaks := kind.speaks:
        form.host.label.text, form.host.description = speaks.label, speaks.help
        form.host.render_kw = {**(form.host.render_kw or {}), "placeholder": speaks.example}


def _offer(form: GrantsForm, source: dict[str, Any] | None = None) -> None:
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


def rules_form(rules: Sequence[Mapping[str, Any]], formdata: Any = None) -> RulesForm:
    """The form of a source's rules, with empty rows for more."""
    if formdata is not None:
        # a row's number is read by int(), which knows digits that no form of ours writes
        return RulesForm(formdata=MultiDict(pair for pair in formdata.items() if pair[0].isascii()))
    rows = [
        {
            "when": rule["when"],
            "queue": rule.get("queue", ""),
            "to": ", ".join(rule.get("to", [])),
            "drop": bool(rule.get("drop")),
        }
        for rule in rules
    ]
    return RulesForm(formdata=None, rules=[*rows, *({} for _ in range(EMPTY_RULES))])


def rules_of(form: RulesForm) -> list[dict[str, Any]]:
    """The rules that the form says, the empty rows left out."""
    return [_rule(row.form) for row in form.rules if (row.form.when.data or "").strip()]


def _rule(row: RuleForm) -> dict[str, Any]:
    rule: dict[str, Any] = {"when": row.when.data.strip()}
    if queue := (row.queue.data or "").strip():
        rule["queue"] = queue
    if to := one_a_line(row.to.data):
        rule["to"] = to
    if row.drop.data:
        rule["drop"] = True
    return rule
