"""The forms of a connection: a new one, what it may be used for, a new credential."""

from __future__ import annotations

from typing import Any

from flask import url_for
from wtforms import IntegerField, SelectField, StringField, TextAreaField, ValidationError
from wtforms.validators import NumberRange, Optional

from switchboard.providers import answering_kinds, connection_kinds
from switchboard.vault.given import MAX_REPLIES_PER_TODO
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
from switchboard.web.shelves import live_endpoints

ALL, SOME = "all", "some"
LIMITS = ["targets", "serves", "endpoints", "signature", "replies_per_todo"]
SERVES = [(ALL, "Every endpoint of the owner, later ones too"), (SOME, "Only those ticked below")]


class LimitsForm(PageForm):
    """What a connection may be used for, and the line under what is posted."""

    name = StringField(
        "Name",
        [required("Name it.")],
        description="Letters, digits, dots, dashes, underscores.",
        render_kw={"autocomplete": "off"},
    )
    targets = TextAreaField("Targets", render_kw={"rows": 2})
    serves = SelectField("Who may answer through it", choices=choices(SERVES), default=ALL)
    endpoints = ticks("Endpoints", "")
    signature = StringField(
        "Signature line",
        description="Put under every posted text, such as “– fixer, for Ana”. Empty: none.",
    )
    replies_per_todo = IntegerField(
        "Answers a todo takes",
        [Optional(), NumberRange(1, MAX_REPLIES_PER_TODO, f"From 1 to {MAX_REPLIES_PER_TODO}.")],
        render_kw={"min": 1, "max": MAX_REPLIES_PER_TODO},
    )

    def validate_endpoints(self, field: Any) -> None:
        """An empty list would open the connection to all, so all has to be chosen."""
        if self.serves.data == SOME and not field.data:
            raise ValidationError("Tick at least one, or choose every endpoint above.")
        if self.serves.data == ALL and field.data:
            raise ValidationError("Untick them, or choose only those ticked above.")

    def changes(self) -> dict[str, Any]:
        """The form as the vault takes it."""
        return {
            "name": self.name.data,
            "targets": one_a_line(self.targets.data),
            "endpoints": self.endpoints.data or [],
            "signature": self.signature.data or None,
            "replies_per_todo": self.replies_per_todo.data,
        }


class ConnectionForm(LimitsForm):
    """A new connection."""

    kind = SelectField("Kind", description="Where it posts.")
    account_key = StringField(
        "Account",
        [required("Say whose it is.")],
        render_kw={"autocomplete": "off", "autocapitalize": "none"},
    )
    secret = secret_field("Token", "", required("Paste the token."))
    owner = owner_field()


class SecretForm(PageForm):
    """A new credential for an old connection."""

    secret = secret_field("New token", "Replaces the old one at once.", required("Paste it."))


def new_form(wanted: str | None = None, formdata: Any = None) -> ConnectionForm:
    """The form for one more connection of the wanted kind, in that kind's words."""
    kinds = connection_kinds(plumbing().settings)
    form = ConnectionForm(formdata=formdata)
    form.kind.choices = choices((kind, each.label) for kind, each in kinds.items())
    form.kind.render_kw = {"data-goes": url_for("pages.connections")}
    if formdata is None:
        form.kind.data = wanted if wanted in kinds else next(iter(kinds))
    kind = kinds.get(form.kind.data or "", next(iter(kinds.values())))
    if formdata is None:
        form.account_key.data = kind.default_host
    form.account_key.label.text = kind.asks.account
    form.account_key.description = kind.asks.account_help
    form.account_key.render_kw = {
        **(form.account_key.render_kw or {}),
        "placeholder": kind.asks.example,
    }
    form.secret.description = f"{kind.asks.credential_help} Sealed at once and never shown again."
    form.targets.description = kind.asks.target_help
    form.replies_per_todo.description = _cap_help()
    form.endpoints.choices = choices((each["id"], each["name"]) for each in live_endpoints())
    offer_owners(form)
    return form


def _cap_help() -> str:
    usual = plumbing().settings["REPLIES_PER_TODO"]
    return f"In all its life, so that a loop ends. Empty: {usual}."


def shown_fields(kind: str | None) -> list[str]:
    """The fields of a new connection that mean something for its kind, in their order."""
    name, *limits = limit_fields(kind)
    return ["kind", name, "account_key", "secret", "owner", *limits]


def limit_fields(kind: str | None) -> list[str]:
    """The fields of what a connection of that kind may be used for: a sink answers nobody."""
    answers = kind in answering_kinds(plumbing().settings)
    return ["name", *(LIMITS if answers else [])]


def limits_form(connection: dict[str, Any], formdata: Any = None) -> LimitsForm:
    """The form of one connection, filled with what it is now."""
    form = LimitsForm(
        formdata=formdata,
        prefix=f"{connection['id']}-",
        name=connection["name"],
        targets=as_lines(connection["targets"]),
        serves=SOME if connection["endpoint_ids"] else ALL,
        endpoints=connection["endpoint_ids"],
        signature=connection["signature"],
        replies_per_todo=connection["replies_per_todo"],
    )
    kinds = connection_kinds(plumbing().settings)
    form.targets.description = kinds[connection["kind"]].asks.target_help
    form.replies_per_todo.description = _cap_help()
    theirs = [each for each in live_endpoints() if each["owner"] == connection["owner"]]
    live = {each["id"]: each["name"] for each in theirs}
    stored = zip(connection["endpoint_ids"], connection["endpoints"], strict=True)
    over = {id_: f"{name} (over)" for id_, name in stored if id_ not in live}
    form.endpoints.choices = choices((live | over).items())
    return form


def secret_form(connection_id: str, formdata: Any = None) -> SecretForm:
    """The form for one connection's new credential; its names are its own on a page of many."""
    return SecretForm(formdata=formdata, prefix=f"{connection_id}-")
