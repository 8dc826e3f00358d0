"""Sinks for operators (`sbp_…`)."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from marshmallow import Schema, fields

from switchboard.api.context import json_body, operator, plumbing, whole_list
from switchboard.sinks import given, sinks

bp = Blueprint("sinks", __name__, url_prefix="/api/v1")


class SinkBody(Schema):
    """`{owner?, kind, name, address?, connection?, events?}`"""

    owner = fields.Dict(load_default=None, allow_none=True)
    kind = fields.String(required=True)
    name = fields.String(required=True)
    address = fields.String(load_default=None, allow_none=True)
    connection = fields.String(load_default=None, allow_none=True)
    events = fields.List(fields.String(), load_default=given.DEFAULT_EVENTS)


class EventsBody(Schema):
    """`{events}`"""

    events = fields.List(fields.String(), required=True)


@bp.get("/sinks")
def list_sinks() -> Response:
    """Where the operator's owners are told of things, and how that goes."""
    return whole_list("sinks", sinks.in_view(plumbing(), operator()))


@bp.post("/sinks")
def add_sink() -> tuple[Response, int]:
    """Keep a sink."""
    who = operator()
    new = sinks.NewSink(**json_body(SinkBody()))
    return jsonify(sinks.add(plumbing(), who, new)), 201


@bp.patch("/sinks/<ref>")
def edit_sink(ref: str) -> Response:
    """Change what a sink is told of."""
    who = operator()
    return jsonify(sinks.subscribe(plumbing(), who, ref, json_body(EventsBody())["events"]))


@bp.delete("/sinks/<ref>")
def delete_sink(ref: str) -> tuple[str, int]:
    """Forget a sink."""
    sinks.delete(plumbing(), operator(), ref)
    return "", 204


@bp.post("/sinks/<ref>/test")
def test_sink(ref: str) -> Response:
    """Send one message through a sink now."""
    return jsonify(sinks.test(plumbing(), operator(), ref))
