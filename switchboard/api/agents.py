"""What agents call with `sbk_…`: todos, replies, whoami. Operators read todos here with `sbp_…`."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify, request, url_for
from marshmallow import Schema, fields

from switchboard.api.context import (
    Seconds,
    Whole,
    agent,
    by_operator,
    json_body,
    operator,
    page_arguments,
    plumbing,
    waiting,
)
from switchboard.lib import clock
from switchboard.replies import accept
from switchboard.todos import leases, views

bp = Blueprint("agents", __name__, url_prefix="/api/v1")


class ClaimBody(Schema):
    """`{queue?, lease_seconds?}`"""

    queue = fields.String(load_default=None, allow_none=True)
    lease_seconds = Whole()


class LeaseBody(Schema):
    """`{attempt?, lease_seconds?}`"""

    attempt = Whole()
    lease_seconds = Whole()


class FinishBody(Schema):
    """`{attempt?, result?}`"""

    attempt = Whole()
    result = fields.Raw(load_default=None, allow_none=True)


class FailBody(FinishBody):
    """`{attempt?, result?, retry?}`"""

    retry = fields.Boolean(load_default=True, truthy={True}, falsy={False})


class ReplyBody(Schema):
    """`{text, idempotency_key?, attempt?, wait?}`"""

    text = fields.String(required=True)
    idempotency_key = fields.String(load_default=None, allow_none=True)
    attempt = Whole()
    wait = Seconds()


@bp.get("/whoami")
def whoami() -> Response:
    """The endpoint, its verbs, queues and limits."""
    who, settings = agent(), plumbing().settings
    return jsonify(
        endpoint={"id": who.endpoint_id, "slug": who.slug, "name": who.name},
        verbs=list(who.verbs),
        queues=list(who.queues),
        ceiling=who.ceiling.columns if "webhook" in who.verbs else None,
        expires_at=clock.iso(who.expires_at),
        limits={
            "calls": _rate(settings["ENDPOINT_RATE"]),
            "replies": _rate(settings["REPLY_RATE"]),
            "replies_per_todo": settings["REPLIES_PER_TODO"],
            "reply_characters": accept.MAX_TEXT,
            "lease_seconds": settings["LEASE_SECONDS"],
            "attempts": settings["MAX_ATTEMPTS"],
        },
    )


def _rate(rate: tuple[float, int]) -> dict[str, float]:
    return {"per_second": rate[0], "burst": rate[1]}


@bp.get("/todos")
def list_todos() -> Response:
    """The endpoint's todos oldest first, or what an operator may see newest first."""
    after, limit = page_arguments()
    wanted: dict[str, Any] = {
        "state": request.args.get("state") or None,
        "queue": request.args.get("queue") or None,
        "after": after,
        "limit": limit,
    }
    if by_operator():
        page = views.search_as_operator(plumbing(), operator(), **wanted)
    else:
        page = views.search(plumbing(), agent(), **wanted)
    return jsonify(todos=page.todos, next=page.next)


@bp.get("/todos/<todo_id>")
def get_todo(todo_id: str) -> Response:
    """One todo, whole."""
    if by_operator():
        return jsonify(views.get_as_operator(plumbing(), operator(), todo_id))
    return jsonify(views.get(plumbing(), agent(), todo_id))


@bp.post("/todos/claim-next")
def claim_next() -> Response | tuple[str, int]:
    """Claim the oldest ready todo; 204 when there is nothing to do."""
    who, body = agent(), json_body(ClaimBody())
    todo = leases.claim_next(plumbing(), who, body["queue"], body["lease_seconds"])
    return ("", 204) if todo is None else jsonify(todo)


@bp.post("/todos/<todo_id>/claim")
def claim(todo_id: str) -> Response:
    """Claim one pending todo."""
    who, body = agent(), json_body(LeaseBody())
    return jsonify(leases.claim(plumbing(), who, todo_id, body["lease_seconds"]))


@bp.post("/todos/<todo_id>/heartbeat")
def heartbeat(todo_id: str) -> Response:
    """Extend the lease."""
    return jsonify(leases.heartbeat(plumbing(), agent(), todo_id, **json_body(LeaseBody())))


@bp.post("/todos/<todo_id>/release")
def release(todo_id: str) -> Response:
    """Put the todo back; no attempt is burned."""
    who, body = agent(), json_body(LeaseBody())
    return jsonify(leases.release(plumbing(), who, todo_id, body["attempt"]))


@bp.post("/todos/<todo_id>/complete")
def complete(todo_id: str) -> Response:
    """Finish the todo."""
    return jsonify(leases.complete(plumbing(), agent(), todo_id, **json_body(FinishBody())))


@bp.post("/todos/<todo_id>/fail")
def fail(todo_id: str) -> Response:
    """Give the todo up, to come back after a pause or, with `retry: false`, for good."""
    return jsonify(leases.fail(plumbing(), agent(), todo_id, **json_body(FailBody())))


@bp.post("/todos/<todo_id>/replies")
def reply(todo_id: str) -> tuple[Response, int, dict[str, str]]:
    """Answer where the todo came from: 200 with the outcome, 202 while it is pending."""
    who, body = agent(), json_body(ReplyBody())
    outcome = accept.accept(plumbing(), who, accept.Request(todo_id, **body), waiting())
    url = url_for("agents.get_reply", reply_id=outcome["reply_id"])
    if outcome["state"] == "pending":
        return jsonify(outcome | {"url": url}), 202, {"Location": url}
    return jsonify(outcome), 200, {}


@bp.get("/replies/<reply_id>")
def get_reply(reply_id: str) -> Response:
    """One reply as it stands."""
    return jsonify(accept.get(plumbing(), agent(), reply_id))
