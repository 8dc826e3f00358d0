"""The forms of sinks: one more of a kind, and what one is told of."""

from __future__ import annotations

from typing import Any

from flask import url_for
from wtforms import SelectField, StringField

from switchboard.outbox.topics import EVENTS
from switchboard.providers import notifying_kinds
from switchboard.sinks import given
from switchboard.vault import connections
from switchboard.web.blueprint import plumbing
from switchboard.web.forms import (
    PageForm,
    choices,
    offer_owners,
    owner_field,
    required,
    ticks,
)
from switchboard.web.session import operator

FIELDS = ["kind", "name", "address", "owner", "events"]
FIELDS_CONNECTED = ["kind", "name", "connection", "events"]
_WORDS = [(event, f"{event} – {means}") for event, means in EVENTS.items()]


class EventsForm(PageForm):
    """What a sink tells of."""

    events = ticks("Tells of", "")


class SinkForm(EventsForm):
    """A new sink."""

    kind = SelectField("Kind", description="How it reaches people.")
    name = StringField(
        "Name",
        [required("Name it.")],
        description="Letters, digits, dots, dashes, underscores.",
        render_kw={"autocomplete": "off"},
    )
    address = StringField(
        "Address",
        description="Empty: the account's own, in a team everybody's. Only a person's own mail can be "
        "answered, never one to a list.",
        render_kw={"type": "email", "autocomplete": "off"},
    )
    connection = SelectField("Connection", choices=[])
    owner = owner_field()


def labels() -> dict[str, str]:
    """What the kinds are called."""
    return {given.EMAIL: "E-mail"} | {kind: each.label for kind, each in notifying_kinds().items()}


def new_form(wanted: str | None = None, formdata: Any = None) -> SinkForm:
    """The form for one more sink of the wanted kind."""
    form = SinkForm(formdata=formdata)
    form.kind.choices = choices(labels().items())
    form.kind.render_kw = {"data-goes": url_for("pages.sinks")}
    form.events.choices = choices(_WORDS)
    if formdata is None:
        form.kind.data = wanted if wanted in labels() else given.EMAIL
        form.events.data = list(EVENTS)
    usable = _connections(form.kind.data)
    form.connection.choices = choices((each["id"], _called(each)) for each in usable)
    form.connection.description = (
        f"It holds the credential. Another one is added under Connections as {form.kind.data}."
    )
    form.connection.validate_choice = False
    offer_owners(form)
    return form


def _connections(kind: str | None) -> list[dict[str, Any]]:
    managed = connections.managed(plumbing(), operator())
    every = connections.in_view(plumbing(), operator())
    return [each for each in every if each["kind"] == kind and each["id"] in managed]


def _called(connection: dict[str, Any]) -> str:
    return f"{connection['name']}, {connection['account_key']}"


def owner_of(form: SinkForm) -> Any:
    """Whose the sink is to be: its connection's owner, where it has one."""
    chosen = [each for each in _connections(form.kind.data) if each["id"] == form.connection.data]
    return chosen[0]["owner"] if chosen else form.owner.data or None


def fields(kind: str | None) -> list[str]:
    """The fields of a new sink that mean something for its kind, in their order."""
    return FIELDS if kind == given.EMAIL else FIELDS_CONNECTED


def events_form(sink: dict[str, Any], formdata: Any = None) -> EventsForm:
    """The form of one sink, filled with what it tells of; its names are its own on a page of many."""
    form = EventsForm(formdata=formdata, prefix=f"{sink['id']}-", events=sink["events"])
    form.events.choices = choices(_WORDS)
    return form
