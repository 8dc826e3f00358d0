"""Sources for operators (`sbp_…`): add, change, try out, end."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify
from marshmallow import Schema, fields

from switchboard.api.context import Whole, json_body, operator, plumbing, whole_list
from switchboard.inbound import dry_run, send_test, source_changes, source_views, sources

bp = Blueprint("sources", __name__, url_prefix="/api/v1")


class SourceBody(Schema):
    """`{owner?, kind, name, host?, repos?, letters?, secret?, to?, repo?, red_opens_todo?}`"""

    owner = fields.Dict(load_default=None, allow_none=True)
    kind = fields.String(required=True)
    name = fields.String(required=True)
    host = fields.String(load_default="")
    repos = fields.List(fields.String(), load_default=list)
    letters = fields.String(load_default=None, allow_none=True)
    repo = fields.String(load_default=None, allow_none=True)
    red_opens_todo = fields.Boolean(load_default=False)
    secret = fields.String(load_default=None, allow_none=True)
    to = fields.List(fields.String(), load_default=list)


class SourceEditBody(Schema):
    """`{to?, repos?, host?, letters?, rules?, red_opens_todo?, state?}`"""

    host = fields.String()
    rules = fields.List(fields.Dict())
    red_opens_todo = fields.Boolean()
    to = fields.List(fields.String())
    repos = fields.List(fields.String())
    letters = fields.String()
    state = fields.String()


class SourceSecretBody(Schema):
    """`{secret?}`; without it one is made."""

    secret = fields.String(load_default=None, allow_none=True)


class DryRunBody(Schema):
    """`{rules?, limit?}`; without rules, those that the source has."""

    rules = fields.List(fields.Dict(), load_default=None, allow_none=True)
    limit = Whole()


@bp.get("/sources")
def list_sources() -> Response:
    """Sources with their ingest URLs."""
    return whole_list("sources", source_views.in_view(plumbing(), operator()))


@bp.post("/sources")
def add_source() -> tuple[Response, int]:
    """Add a source; its secret stands in this answer only."""
    who, body = operator(), json_body(SourceBody())
    added = sources.add(plumbing(), who, sources.NewSource(**body))
    return jsonify(added.source | {"secret": added.secret}), 201


@bp.patch("/sources/<ref>")
def edit_source(ref: str) -> Response:
    """Change a source's targets, pins or letters; pause or resume it."""
    who, body = operator(), json_body(SourceEditBody())
    return jsonify(source_changes.edit(plumbing(), who, ref, body))


@bp.put("/sources/<ref>/secret")
def rotate_source(ref: str) -> Response:
    """Give a source a new secret, which stands in this answer only."""
    who, body = operator(), json_body(SourceSecretBody())
    rotated = source_changes.rotate(plumbing(), who, ref, body["secret"])
    return jsonify(rotated.source | {"secret": rotated.secret})


@bp.delete("/sources/<ref>")
def revoke_source(ref: str) -> tuple[str, int]:
    """End a source."""
    source_changes.set_state(plumbing(), operator(), ref, "revoked")
    return "", 204


@bp.post("/sources/<ref>/rules/dry-run")
def try_rules(ref: str) -> Response:
    """What rules would have made of the newest deliveries; nothing changes."""
    who, body = operator(), json_body(DryRunBody())
    limit = body["limit"] or dry_run.MOST
    return jsonify(deliveries=dry_run.run(plumbing(), who, ref, body["rules"], limit))


@bp.post("/sources/<ref>/test")
def test_source(ref: str) -> Response:
    """Send a good and a forged sample through the public address."""
    return jsonify(send_test.run(plumbing(), operator(), ref))
