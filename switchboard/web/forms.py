"""What the pages' forms share: the base, tidy text, lists written one a line, the owner's choice."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from flask import request
from flask_wtf import FlaskForm
from wtforms import PasswordField, SelectChoice, SelectField, SelectMultipleField, StringField
from wtforms.validators import InputRequired
from wtforms.widgets import CheckboxInput, ListWidget, PasswordInput

from switchboard.access import owners
from switchboard.web.blueprint import plumbing
from switchboard.web.session import operator

_BETWEEN = re.compile(r"[\s,]+")


class PageForm(FlaskForm):  # type: ignore[misc]
    """A form of a page. Every text is stripped of outer white space, secrets excepted."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        def bind_field(self, form: Any, unbound_field: Any, options: dict[str, Any]) -> Any:
            """Strip what is typed, as nobody means a trailing space."""
            kind = unbound_field.field_class
            if issubclass(kind, StringField) and not issubclass(kind, PasswordField):
                options["filters"] = [_strip]
            return super().bind_field(form, unbound_field, options)


def _strip(value: str | None) -> str | None:
    return value.strip() if value else value


def required(what: str) -> InputRequired:
    """The validator of a field that must not be empty; `what` is the sentence shown."""
    return InputRequired(message=what)


def secret_field(label: str, help: str, *validators: Any, autocomplete: str = "off") -> Any:
    """A secret: hidden while typed, never filled in by us or the browser."""
    return PasswordField(
        label,
        validators=list(validators),
        description=help,
        widget=PasswordInput(hide_value=True),
        render_kw={"autocomplete": autocomplete, "spellcheck": "false"},
    )


def ticks(label: str, help: str) -> Any:
    """Several choices to tick; whether they are allowed is for the vertical to say."""
    return SelectMultipleField(
        label,
        description=help,
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
        validate_choice=False,
    )


def choices(pairs: Iterable[tuple[str, str]]) -> list[Any]:
    """Choices of a field from (value, label) pairs."""
    return [SelectChoice(value, label) for value, label in pairs]


def owner_field() -> Any:
    """Whose it is to be; the choices are set by `offer_owners`."""
    return SelectField("Owner", choices=[], default="", description="You, or a team you configure.")


def offer_owners(form: Any) -> None:
    """Fill the owner's choices: the operator and the teams he configures."""
    mine = operator()
    teams = sorted((mine.configurable or frozenset()) - {mine.account_id})
    labels = owners.labels(plumbing(), teams)
    names = sorted(label["team"] for label in labels.values())
    form.owner.choices = choices([("", mine.name), *((name, name) for name in names)])


def query(names: Collection[str]) -> dict[str, Any]:
    """What the address says of these names, what it leaves empty left out; other names are nobody's."""
    return {name: value for name in names if (value := request.args.get(name))}


def one_a_line(text: str | None) -> list[str]:
    """The entries of a text written one a line, or separated by commas or spaces."""
    return [part for part in _BETWEEN.split(text or "") if part]


def as_lines(entries: Sequence[str]) -> str:
    """The inverse of `one_a_line`, for filling a form."""
    return "\n".join(entries)
