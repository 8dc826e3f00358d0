"""Asking and answering: agents ask and collect (`sbk_…`), humans answer and manage sessions (`sbp_…`)."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request
from marshmallow import Schema, fields

from switchboard.api.context import (
    agent_with,
    json_body,
    operator,
    page_arguments,
    plumbing,
    waiting,
)
from switchboard.errors import Invalid
from switchboard.sessions import answering, asking, inbox, registry

bp = Blueprint("sessions", __name__, url_prefix="/api/v1")

VIA = "api"


class AskBody(Schema):
    """`{ref, question, actor?}`"""

    ref = fields.String(load_default="")
    question = fields.String(load_default="")
    actor = fields.String(load_default="")


class AnswerBody(Schema):
    """`{ref, text, actor?, comment?, owner?, question?}`"""

    ref = fields.String(load_default="")
    text = fields.String(load_default="")
    actor = fields.String(load_default="")
    comment = fields.Boolean(load_default=True, truthy={True}, falsy={False})
    owner = fields.Dict(load_default=None, allow_none=True)
    question = fields.String(load_default=None, allow_none=True)


class SessionBody(Schema):
    """`{ref}`"""

    ref = fields.String(load_default="")


@bp.post("/sessions/ask")
def ask() -> Response:
    """Ask a human on the work item of a todo the agent holds; the wait is recorded in any case."""
    who, body = agent_with(registry.FAMILY), json_body(AskBody())
    asked = asking.ask(plumbing(), who, asking.Question(**body), waiting(), via=VIA)
    return jsonify(asked.as_dict())


@bp.post("/sessions/reply")
def reply() -> Response:
    """Answer the agent of a work item."""
    who, body = operator(), json_body(AnswerBody())
    outcome = answering.answer(plumbing(), who, answering.Answer(**body), waiting(), via=VIA)
    return jsonify(outcome.as_dict())


@bp.get("/sessions")
def list_sessions() -> Response:
    """The sessions in view, newest first, by work item and state."""
    who = operator()
    after, limit = page_arguments()
    wanted = {name: request.args.get(name) or None for name in ("ref", "state")}
    page = registry.in_view(plumbing(), who, **wanted, after=after, limit=limit)
    return jsonify(sessions=page.sessions, next=page.next)


@bp.post("/sessions")
def register_session() -> tuple[Response, int]:
    """Open the agent's mailbox for the work item of a todo it holds."""
    who, body = agent_with(registry.FAMILY), json_body(SessionBody())
    return jsonify(registry.register_mailbox(plumbing(), who, body["ref"])), 201


@bp.get("/sessions/inbox")
def collect() -> Response:
    """The answers for the agent's work item that it has not read, after a wait if it asks for one."""
    who = agent_with(registry.FAMILY)
    ref = request.args.get("ref", "")
    return jsonify(inbox.collect(plumbing(), who, ref, _seconds("wait"), waiting()))


def _seconds(name: str) -> float | None:
    given = request.args.get(name)
    if not given:
        return None
    whole, _, part = given.partition(".")
    if not (given.isascii() and whole.isdigit() and (part or "0").isdigit() and len(given) < 10):
        raise Invalid(f"{name} is a number of seconds.", field=name)
    return float(given)


@bp.post("/sessions/inbox/<message_id>/read")
def read(message_id: str) -> Response:
    """The agent has read an answer."""
    return jsonify(inbox.read(plumbing(), agent_with(registry.FAMILY), message_id))


@bp.post("/sessions/<session_id>/pause")
def pause(session_id: str) -> Response:
    """Let no answer through until it is resumed."""
    return jsonify(registry.pause(plumbing(), operator(), session_id))


@bp.post("/sessions/<session_id>/resume")
def resume(session_id: str) -> Response:
    """Let answers through again."""
    return jsonify(registry.resume(plumbing(), operator(), session_id))


@bp.post("/sessions/<session_id>/end")
def end(session_id: str) -> Response:
    """End a session for good."""
    return jsonify(registry.end(plumbing(), operator(), session_id))
