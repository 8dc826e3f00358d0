"""Threads, comments and verdicts: operators' with `sbp_…`, agents' comments on their todos with `sbk_…`."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, request
from marshmallow import Schema, fields

from switchboard.access.principals import Agent, Operator
from switchboard.api.context import (
    agent,
    by_operator,
    json_body,
    operator,
    page_arguments,
    plumbing,
)
from switchboard.threads import comments, opening, states, verdicts, views

bp = Blueprint("threads", __name__, url_prefix="/api/v1")

VIA = "api"


class ThreadBody(Schema):
    """`{owner?, repo, kind, title, body?, labels?, mirror_of?}`"""

    owner = fields.Dict(load_default=None, allow_none=True)
    repo = fields.String(required=True)
    kind = fields.String(required=True)
    title = fields.String(required=True)
    body = fields.String(load_default="")
    labels = fields.List(fields.String(), load_default=list)
    mirror_of = fields.String(load_default=None, allow_none=True)


class CommentBody(Schema):
    """`{body}`"""

    body = fields.String(required=True)


@bp.get("/threads")
def list_threads() -> Response:
    """The threads in view, newest first, filtered by repo, kind, state, ref."""
    who = operator()
    after, limit = page_arguments()
    wanted = {name: request.args.get(name) or None for name in ("repo", "kind", "state", "ref")}
    page = views.search(plumbing(), who, views.Filters(**wanted), after=after, limit=limit)
    return jsonify(threads=page.threads, next=page.next)


@bp.post("/threads")
def open_thread() -> tuple[Response, int]:
    """Open a thread."""
    who, body = operator(), json_body(ThreadBody())
    new = opening.NewThread(**body)
    return jsonify(opening.open_thread(plumbing(), who, new, via=VIA)), 201


@bp.get("/threads/<thread_id>")
def get_thread(thread_id: str) -> Response:
    """One thread with its comments, oldest first."""
    who = operator()
    after, limit = page_arguments()
    return jsonify(views.get(plumbing(), who, thread_id, after=after, limit=limit))


@bp.post("/threads/<thread_id>/comments")
def comment_on_thread(thread_id: str) -> tuple[Response, int]:
    """Comment on a thread."""
    who, body = operator(), json_body(CommentBody())
    return jsonify(comments.add(plumbing(), who, thread_id, body["body"], via=VIA)), 201


@bp.post("/threads/<thread_id>/adopt")
def adopt_thread(thread_id: str) -> Response:
    """Take charge of a ticket."""
    return jsonify(states.adopt(plumbing(), operator(), thread_id))


@bp.post("/threads/<thread_id>/close")
def close_thread(thread_id: str) -> Response:
    """Close a thread."""
    return jsonify(states.close(plumbing(), operator(), thread_id))


@bp.post("/threads/<thread_id>/reopen")
def reopen_thread(thread_id: str) -> Response:
    """Open a closed thread again."""
    return jsonify(states.reopen(plumbing(), operator(), thread_id))


@bp.get("/todos/<todo_id>/comments")
def list_comments(todo_id: str) -> Response:
    """What was said on a todo, or on the ticket it stands for, oldest first."""
    who = _either()
    after, limit = page_arguments()
    page = comments.of_todo(plumbing(), who, todo_id, after=after, limit=limit)
    return jsonify(comments=page.comments, next=page.next)


@bp.post("/todos/<todo_id>/comments")
def comment_on_todo(todo_id: str) -> tuple[Response, int]:
    """Comment on a todo, which goes to the ticket it stands for."""
    who, body = _either(), json_body(CommentBody())
    return jsonify(comments.add_on_todo(plumbing(), who, todo_id, body["body"], via=VIA)), 201


def _either() -> Operator | Agent:
    return operator() if by_operator() else agent()


@bp.get("/verdicts")
def list_verdicts() -> Response:
    """The newest verdict of each commit and name, newest first, by repo and the beginning of a commit."""
    who = operator()
    after, limit = page_arguments()
    wanted: dict[str, Any] = {name: request.args.get(name) or None for name in ("repo", "commit")}
    page = verdicts.search(plumbing(), who, **wanted, after=after, limit=limit)
    return jsonify(verdicts=page.verdicts, next=page.next)
